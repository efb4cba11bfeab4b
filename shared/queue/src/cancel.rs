//! Asks the worker that runs a job to stop it.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// NOTIFY channel of cancellations. The payload is the subject.
pub(crate) const CHANNEL: &str = "tarsy_cancel";

/// Ask whoever runs jobs about `subjects` to stop them: fires their stop token with
/// [`StopCause::Requested`](crate::StopCause::Requested). Returns how many were running.
///
/// Takes part in the caller's transaction (the one that marks the subjects cancelled), and
/// reaches the worker on commit; a worker that misses the notification learns of it at its
/// next renewal. Jobs that don't run yet are not touched, see [`withdraw`]. Waits for a
/// transaction that is just ending such a job.
pub async fn request_cancel(conn: &mut PgConnection, subjects: &[Uuid]) -> Result<u64, Error> {
    let running = sqlx::query!(
        "update jobs set cancel_requested = true where owner is not null and subject = any($1)",
        subjects
    )
    .execute(&mut *conn)
    .await?
    .rows_affected();
    // Told even if none seems to run: one may be claimed in this very moment.
    sqlx::query!(
        r#"select pg_notify($1, s::text)::text as "notified" from unnest($2::uuid[]) s"#,
        CHANNEL,
        subjects
    )
    .fetch_all(conn)
    .await?;
    Ok(running)
}

/// Take away the jobs about `subjects` that nobody runs; returns how many. One that is being
/// claimed in this moment stays: its handler sees the subject's state when it starts.
pub async fn withdraw(conn: &mut PgConnection, subjects: &[Uuid]) -> Result<u64, Error> {
    let gone = sqlx::query!(
        "delete from jobs where id = any(array(
             select id from jobs where subject = any($1) and owner is null for update skip locked))",
        subjects
    )
    .execute(conn)
    .await?;
    Ok(gone.rows_affected())
}

/// Deletes all jobs about `subjects`, running ones included: later writes under their claims are refused.
/// Returns how many. Waits for a transaction that is just ending such a job.
pub async fn revoke(conn: &mut PgConnection, subjects: &[Uuid]) -> Result<u64, Error> {
    let gone = sqlx::query!("delete from jobs where subject = any($1)", subjects)
        .execute(conn)
        .await?;
    Ok(gone.rows_affected())
}
