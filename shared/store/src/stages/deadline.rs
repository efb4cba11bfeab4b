//! The deadline of a stage, under its claim.

use std::time::Duration;

use sqlx::PgConnection;
use sqlx::postgres::PgQueryResult;
use tarsy_model::{ClaimRef, ExecutionId};

use crate::Error;

/// Move a stage's deadline by the time it waits without a worker (a snooze costs no running time), and
/// count that time.
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

/// Moves a stage's deadline by the time that its worker waited for Postgres, which is no snooze.
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

/// Let a stage that was begun by a worker that can't run it have its whole time when another begins it. One
/// that is on record has been run, and keeps its deadline.
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
