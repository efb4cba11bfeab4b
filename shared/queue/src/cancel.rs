//! Asks the worker that runs a job to stop it.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// NOTIFY channel of cancellations. The payload is the subject.
pub(crate) const CHANNEL: &str = "tarsy_cancel";

/// Asks the workers that run jobs about `subjects` to stop them: their stop signals fire with
/// [`StopCause::Requested`](crate::StopCause::Requested). Returns how many jobs were running.
///
/// Takes part in the caller's transaction (the one that marks the subjects cancelled), and reaches the worker on
/// commit. A worker that misses the notification notices the request at its next renewal. Jobs that are not running
/// yet are not touched; see [`withdraw`]. Waits for a concurrent transaction that ends such a job.
pub async fn request_cancel(conn: &mut PgConnection, subjects: &[Uuid]) -> Result<u64, Error> {
    let running = sqlx::query!(
        "update jobs set cancel_requested = true where owner is not null and subject = any($1)",
        subjects
    )
    .execute(&mut *conn)
    .await?
    .rows_affected();
    // Notify even if no job seems to run: one may be claimed at this very moment.
    sqlx::query!(
        r#"select pg_notify($1, s::text)::text as "notified" from unnest($2::uuid[]) s"#,
        CHANNEL,
        subjects
    )
    .fetch_all(conn)
    .await?;
    Ok(running)
}

/// Deletes the jobs about `subjects` that are not running, and returns how many. A job that is being claimed at this
/// moment stays. Its handler reads the subject's state when it starts.
pub async fn withdraw(conn: &mut PgConnection, subjects: &[Uuid]) -> Result<u64, Error> {
    let deleted = sqlx::query!(
        "delete from jobs where id = any(array(
             select id from jobs where subject = any($1) and owner is null for update skip locked))",
        subjects
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}

/// Deletes all jobs about `subjects`, including running ones, so that later writes under their claims are refused.
/// Returns how many. Waits for a concurrent transaction that ends such a job.
pub async fn revoke(conn: &mut PgConnection, subjects: &[Uuid]) -> Result<u64, Error> {
    let deleted = sqlx::query!("delete from jobs where subject = any($1)", subjects)
        .execute(conn)
        .await?;
    Ok(deleted.rows_affected())
}
