//! Broadcasts: messages to every process that listens, which may get lost.

use sqlx::postgres::PgConnection;

/// Longest payload of a broadcast in bytes: Postgres takes less than 8000.
pub const LONGEST_BROADCAST: usize = 7_900;

/// Sends payloads to all who listen to a channel, in one statement. Nothing is kept: who does not listen at the
/// moment misses them. Those that are too long are left out.
///
/// # Errors
///
/// [`sqlx::Error`] when the database does not take them.
pub async fn broadcast(
    conn: &mut PgConnection,
    channel: &str,
    payloads: &[String],
) -> Result<(), sqlx::Error> {
    let payloads: Vec<&str> = payloads
        .iter()
        .map(String::as_str)
        .filter(|payload| payload.len() <= LONGEST_BROADCAST)
        .collect();
    if payloads.is_empty() {
        return Ok(());
    }
    send_notifications(conn, &vec![channel; payloads.len()], &payloads).await
}

/// Sends one NOTIFY for each payload, as a statement of its own.
///
/// Not durable on purpose (`synchronous_commit` off for this statement): a commit that only
/// carries a NOTIFY would wait for the disk like any other, and polling is the net.
pub(crate) async fn send_notifications(
    conn: &mut PgConnection,
    channels: &[&str],
    payloads: &[&str],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select set_config('synchronous_commit', 'off', true), pg_notify(channel, payload)
         from unnest($1::text[], $2::text[]) as call (channel, payload)",
        channels as &[&str],
        payloads as &[&str],
    )
    .fetch_all(conn)
    .await?;
    Ok(())
}
