//! Stores the changes that an agent was given.

use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_model::Change;

use crate::Error;
use crate::interactions::StageFence;

/// Stores with a stage the changes that its first prompt lists, so that a worker that resumes the stage uses the same
/// prompt.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the stage is no longer held; [`Error::Database`].
pub async fn keep_prompt_changes(
    conn: &mut PgConnection,
    fence: &StageFence,
    changes: &[Change],
) -> Result<(), Error> {
    let kept = sqlx::query!(
        "update stage_executions set changes = $1
         where execution_id = $2 and claim_owner = $3 and claim_epoch = $4 and status = 'active'",
        Json(changes) as _,
        fence.execution_id.as_uuid(),
        fence.claim.owner,
        fence.claim.epoch,
    )
    .execute(conn)
    .await?;
    match kept.rows_affected() {
        0 => Err(Error::ClaimLost),
        _ => Ok(()),
    }
}
