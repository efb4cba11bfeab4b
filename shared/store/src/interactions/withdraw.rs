//! Withdraws intents of calls that were not sent.

use sqlx::PgConnection;
use tarsy_model::InteractionId;

use super::StageFence;
use crate::Error;

/// Deletes the intent of a call that was not sent, as if it had never begun. An intent with a result or a task stays.
/// An intent that no longer exists is not an error.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the stage is no longer held; [`Error::Database`].
pub async fn withdraw_mcp(
    conn: &mut PgConnection,
    fence: &StageFence,
    id: InteractionId,
) -> Result<(), Error> {
    let held = sqlx::query_scalar!(
        r#"
        with held as materialized (select held_execution_id from held_stage($1, $2, $3)),
        deleted as (
            delete from mcp_interactions i using held
            where i.interaction_id = any(array[$4::uuid]) and i.stage_execution_id = held_execution_id
              and i.success is null and i.task_id is null
        )
        select held_execution_id as "held!" from held
        "#,
        fence.execution_id.as_uuid(),
        fence.claim.owner,
        fence.claim.epoch,
        id.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    held.map(|_| ()).ok_or(Error::ClaimLost)
}
