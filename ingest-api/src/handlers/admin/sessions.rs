//! Cancelling a session and replaying a failed stage.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tarsy_model::{ExecutionId, SessionId, SessionStatus};
use tarsy_store::admin::Replay;
use utoipa::ToSchema;

use crate::access::Actor;
use crate::admin::request::{Reason, ReasonBody, ValidJson, invalid};
use crate::admin::{cancel, replay};
use crate::problem::Problem;
use crate::state::AppState;

/// Cancelled session.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CancelledSession)]
pub(crate) struct Cancelled {
    #[schema(value_type = uuid::Uuid)]
    session_id: SessionId,
    #[schema(value_type = String, example = "cancelled")]
    status: SessionStatus,
}

/// Replay request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayRequest {
    /// Reason, stored in the audit log.
    reason: Reason,
    /// LLM provider to use instead of the failed attempt's.
    #[serde(default)]
    llm_provider: Option<String>,
    /// Iteration strategy to use instead of the failed attempt's, e.g. `react`.
    #[serde(default)]
    iteration_strategy: Option<String>,
}

/// The new attempt.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReplayedStage)]
pub(crate) struct Replayed {
    #[schema(value_type = uuid::Uuid)]
    session_id: SessionId,
    stage_index: i32,
    /// One more than the failed one's.
    attempt: i32,
    #[schema(value_type = uuid::Uuid)]
    execution_id: ExecutionId,
}

/// Cancel a running session.
///
/// The worker of its stage is notified at once and stops, including a running tool call; nothing
/// it does afterwards is recorded.
#[utoipa::path(
    post, path = "/api/v1/admin/sessions/{session_id}/cancel", tag = "admin", operation_id = "cancel_session", request_body = ReasonBody,
    params(("session_id" = uuid::Uuid, Path, description = "Session id")),
    responses(
        (status = 202, description = "Cancelled", body = Cancelled),
        (status = 404, description = "Session not found"),
        (status = 409, description = "The session has ended"),
    )
)]
pub(crate) async fn cancel(
    State(app): State<AppState>,
    actor: Actor,
    Path(session_id): Path<String>,
    ValidJson(why): ValidJson<ReasonBody>,
) -> Result<(StatusCode, Json<Cancelled>), Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    cancel::cancel(&app, &actor, session_id, &why.reason).await?;
    let cancelled = Cancelled {
        session_id,
        status: SessionStatus::Cancelled,
    };
    Ok((StatusCode::ACCEPTED, Json(cancelled)))
}

/// Replay a failed stage as a new attempt, and the stages after it.
///
/// Earlier attempts stay in the record. Of two concurrent replays, the second fails because the
/// session is running.
#[utoipa::path(
    post, path = "/api/v1/admin/sessions/{session_id}/stages/{stage_index}/replay", tag = "admin", operation_id = "replay_stage",
    request_body = ReplayRequest,
    params(
        ("session_id" = uuid::Uuid, Path, description = "Session id"),
        ("stage_index" = i32, Path, minimum = 0, description = "Stage index, from 0"),
    ),
    responses(
        (status = 202, description = "The new attempt is queued", body = Replayed),
        (status = 400, description = "Malformed JSON, or an invalid stage index"),
        (status = 404, description = "Session or stage not found"),
        (status = 409, description = "The session is running, the stage has not failed, or another session handles the same alert"),
        (status = 422, description = "No reason, or an invalid override"),
    )
)]
pub(crate) async fn replay(
    State(app): State<AppState>,
    actor: Actor,
    Path((session_id, stage_index)): Path<(String, String)>,
    ValidJson(asked): ValidJson<ReplayRequest>,
) -> Result<(StatusCode, Json<Replayed>), Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    let index: Option<i32> = stage_index.parse().ok().filter(|index| *index >= 0);
    let stage_index =
        Some(index.ok_or_else(|| invalid("stage_index", "must be a whole number from 0"))?);
    let (llm_provider, strategy) = replay::overrides(
        &app,
        asked.llm_provider.as_deref(),
        asked.iteration_strategy.as_deref(),
    )?;
    let wish = Replay {
        session_id,
        stage_index,
        llm_provider,
        strategy,
    };
    let stage = replay::replay(&app, &actor, &wish, &asked.reason).await?;
    let replayed = Replayed {
        session_id,
        stage_index: stage.stage_index,
        attempt: stage.attempt,
        execution_id: stage.execution_id,
    };
    Ok((StatusCode::ACCEPTED, Json(replayed)))
}
