//! Changes the deadline of a stage, under its claim.

use std::time::Duration;

use sqlx::PgConnection;
use tarsy_model::{ClaimRef, ExecutionId};

use crate::Error;

/// Updates a stage under its claim. `$set` uses `$value` as `$1`.
macro_rules! update_held {
    ($conn:ident, $execution_id:ident, $claim:ident, $set:literal, $value:expr) => {{
        let updated = sqlx::query!(
            "update stage_executions set " + $set +
            " where execution_id = $2 and claim_owner = $3 and claim_epoch = $4 and status = 'active'",
            $value,
            $execution_id.as_uuid(),
            $claim.owner,
            $claim.epoch,
        );
        match updated.execute($conn).await?.rows_affected() {
            0 => Err(Error::ClaimLost),
            _ => Ok(()),
        }
    }};
}

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
    update_held!(
        conn,
        execution_id,
        claim,
        "deadline_at = deadline_at + $1 * interval '1 ms', snoozed_ms = snoozed_ms + $1::float8::bigint",
        by_ms as f64
    )
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
    update_held!(
        conn,
        execution_id,
        claim,
        "deadline_at = deadline_at + make_interval(secs => $1)",
        by.as_secs_f64()
    )
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
    update_held!(
        conn,
        execution_id,
        claim,
        "deadline_at = case when $1 then deadline_at end",
        resumed
    )
}
