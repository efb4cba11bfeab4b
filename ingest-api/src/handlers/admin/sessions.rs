//! One session: cancelling it, running a failed stage again.

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

/// A session that is cancelled.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CancelledSession)]
pub(crate) struct Cancelled {
    #[schema(value_type = uuid::Uuid)]
    session_id: SessionId,
    #[schema(value_type = String, example = "cancelled")]
    status: SessionStatus,
}

/// How to run a stage again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayRequest {
    /// ReasonBody; kept in the audit log.
    reason: Reason,
    /// Ask this provider instead of the failed attempt's.
    #[serde(default)]
    llm_provider: Option<String>,
    /// Iterate like this instead of as the failed attempt did, e.g. `react`.
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

/// End a session that is under way.
///
/// The worker that runs its stage is told at once and stops, a tool call included; nothing
/// that it does from then on is recorded.
#[utoipa::path(
    post, path = "/api/v1/admin/sessions/{session_id}/cancel", tag = "admin", operation_id = "cancel_session", request_body = ReasonBody,
    params(("session_id" = uuid::Uuid, Path, description = "The session")),
    responses(
        (status = 202, description = "It is cancelled", body = Cancelled),
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

/// Run a failed stage again, as a new attempt; later stages run again on top of it.
///
/// What happened before stays as it is, beside the new attempts. Of two who ask at once, the
/// second is told that the session is running.
#[utoipa::path(
    post, path = "/api/v1/admin/sessions/{session_id}/stages/{stage_index}/replay", tag = "admin", operation_id = "replay_stage",
    request_body = ReplayRequest,
    params(
        ("session_id" = uuid::Uuid, Path, description = "The session"),
        ("stage_index" = i32, Path, minimum = 0, description = "Place in the chain, from 0"),
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
