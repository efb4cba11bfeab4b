//! Changes the deadline of a stage, under its claim.

use std::time::Duration;

use sqlx::PgConnection;
use sqlx::postgres::PgQueryResult;
use tarsy_model::{ClaimRef, ExecutionId};

use crate::Error;

/// Moves a stage's deadline by the time of a snooze, which costs no running time, and adds that time to `snoozed_ms`.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the claim is no longer held; [`Error::Database`].
pub async fn extend_deadline(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
    claim: ClaimRef,
    by_ms: i64,
) -> Result<(), Error> {
    let done = sqlx::query!(
        "update stage_executions
         set deadline_at = deadline_at + $1 * interval '1 ms', snoozed_ms = snoozed_ms + $1::float8::bigint
         where execution_id = $2 and claim_owner = $3 and claim_epoch = $4 and status = 'active'",
        by_ms as f64,
        execution_id.as_uuid(),
        claim.owner,
        claim.epoch,
    )
    .execute(conn)
    .await?;
    ensure_held(&done)
}

/// Moves a stage's deadline by the time that its worker waited for Postgres. This does not count as a snooze.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the claim is no longer held; [`Error::Database`].
pub async fn delay_deadline(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
    claim: ClaimRef,
    by: Duration,
) -> Result<(), Error> {
    let done = sqlx::query!(
        "update stage_executions set deadline_at = deadline_at + make_interval(secs => $1)
         where execution_id = $2 and claim_owner = $3 and claim_epoch = $4 and status = 'active'",
        by.as_secs_f64(),
        execution_id.as_uuid(),
        claim.owner,
        claim.epoch,
    )
    .execute(conn)
    .await?;
    ensure_held(&done)
}

/// Resets the deadline of a stage that was begun by a worker that can't run it, so that the next worker has the whole
/// time. With `resumed`, the stage has already run, so it keeps its deadline.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the claim is no longer held; [`Error::Database`].
pub async fn unset_deadline(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
    claim: ClaimRef,
    resumed: bool,
) -> Result<(), Error> {
    let done = sqlx::query!(
        "update stage_executions set deadline_at = case when $1 then deadline_at end
         where execution_id = $2 and claim_owner = $3 and claim_epoch = $4 and status = 'active'",
        resumed,
        execution_id.as_uuid(),
        claim.owner,
        claim.epoch,
    )
    .execute(conn)
    .await?;
    ensure_held(&done)
}

fn ensure_held(done: &PgQueryResult) -> Result<(), Error> {
    match done.rows_affected() {
        0 => Err(Error::ClaimLost),
        _ => Ok(()),
    }
}
