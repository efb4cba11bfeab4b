//! Ids of the tasks that tool calls run as.

use sqlx::PgConnection;
use tarsy_model::InteractionId;

use super::StageFence;
use crate::Error;

/// Records the id of the task at the MCP server, for a call without a result.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the stage is no longer held or the call has a result; [`Error::Database`].
pub async fn note_task(
    conn: &mut PgConnection,
    fence: &StageFence,
    id: InteractionId,
    task_id: &str,
) -> Result<(), Error> {
    let noted = sqlx::query!(
        "update mcp_interactions i set task_id = $1
         from held_stage($2, $3, $4)
         where i.interaction_id = $5 and i.stage_execution_id = held_execution_id and i.success is null",
        task_id,
        fence.execution_id.as_uuid(),
        fence.claim.owner,
        fence.claim.epoch,
        id.as_uuid(),
    )
    .execute(conn)
    .await?;
    match noted.rows_affected() {
        0 => Err(Error::ClaimLost),
        _ => Ok(()),
    }
}
