//! Pauses queues. A pause is a row, so it outlives every process.

use sqlx::PgConnection;

use crate::Error;

/// Stops all claims from `queue` until it is resumed; running jobs continue. Pausing a paused queue keeps its first
/// time, actor and reason.
pub async fn pause(
    conn: &mut PgConnection,
    queue: &str,
    actor: &str,
    reason: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "insert into queue_state as q (queue, paused_at, paused_by, reason)
         values ($1, clock_timestamp(), $2, $3)
         on conflict (queue) do update
            set paused_at = excluded.paused_at, paused_by = excluded.paused_by,
                reason = excluded.reason
            where q.paused_at is null",
        queue,
        actor,
        reason,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Lets workers claim from `queue` again. Returns whether it was paused. The caller wakes the queue afterwards.
pub async fn resume(conn: &mut PgConnection, queue: &str) -> Result<bool, Error> {
    let done = sqlx::query!("delete from queue_state where queue = $1", queue)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() > 0)
}
