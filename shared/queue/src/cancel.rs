//! Asking the worker that runs a job to stop it.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// The channel a cancellation travels on; its payload is the subject.
pub(crate) const CHANNEL: &str = "tarsy_cancel";

/// Ask whoever runs jobs about `subject` to stop them: fires their stop token with
/// [`StopCause::Requested`](crate::StopCause::Requested). Returns how many were running.
///
/// Takes part in the caller's transaction (the one that marks the subject cancelled), and
/// reaches the worker on commit; a worker that misses the notification learns of it at its
/// next renewal. Jobs that don't run yet are not touched: their handler sees the subject's
/// state when it starts.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn request_cancel(conn: &mut PgConnection, subject: Uuid) -> Result<u64, Error> {
    let running = sqlx::query!(
        "update jobs set cancel_requested = true where owner is not null and subject = $1",
        subject
    )
    .execute(&mut *conn)
    .await?
    .rows_affected();
    if running > 0 {
        sqlx::query!("select pg_notify($1, $2)", CHANNEL, subject.to_string())
            .execute(conn)
            .await?;
    }
    Ok(running)
}
