//! Broadcasts: messages to every process that listens. Delivery is not guaranteed.

use sqlx::postgres::PgConnection;

/// Longest payload of a broadcast in bytes. Postgres takes less than 8000.
pub const LONGEST_BROADCAST: usize = 7_900;

/// Sends payloads to every listener of a channel, in one statement. Nothing is stored: a process that does not listen
/// at that moment misses them. Payloads longer than [`LONGEST_BROADCAST`] are skipped.
///
/// # Errors
///
/// [`sqlx::Error`] if the statement fails.
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

/// Sends one NOTIFY for each payload, in a separate statement.
///
/// The statement runs with `synchronous_commit` off. Otherwise a commit that only carries a NOTIFY would wait for the
/// disk like any other. A notification that is lost does no harm, because workers also poll.
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
