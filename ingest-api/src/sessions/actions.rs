//! Endpoints that cancel a session and replay a stage.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tarsy_model::{ExecutionId, SessionId, SessionStatus};
use tarsy_store::admin::Replay;
use utoipa::ToSchema;

use crate::access::Actor;
use crate::problem::{FieldError, Problem};
use crate::server::operator_request::{Reason, ReasonBody, ValidJson, invalid};
use crate::server::state::AppState;
use crate::sessions::{cancel, replay};

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
    /// Branch to replay, from 0; all branches of the stage by default.
    #[serde(default)]
    branch: Option<i32>,
    /// Agent to run instead of the previous attempt's agent.
    #[serde(default)]
    agent: Option<String>,
    /// LLM provider to use instead of the previous attempt's provider.
    #[serde(default)]
    llm_provider: Option<String>,
    /// Iteration strategy to use instead of the previous attempt's strategy, e.g. `react`.
    #[serde(default)]
    iteration_strategy: Option<String>,
    /// Whether to use `llm_provider` also for the later stages that run again, except for stages that verify.
    #[serde(default)]
    later_stages: bool,
}

/// New attempt of a stage.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReplayedStage)]
pub(crate) struct Replayed {
    #[schema(value_type = uuid::Uuid)]
    session_id: SessionId,
    stage_index: i32,
    /// Number of the attempt: one more than the last one. If several branches are replayed, that of the first branch.
    attempt: i32,
    /// Id of the new attempt. If several branches are replayed, that of the first branch.
    #[schema(value_type = uuid::Uuid)]
    execution_id: ExecutionId,
    /// Number of replayed branches; 1 for a stage without branches.
    branches: usize,
}

/// Cancel a running session.
///
/// The worker of its stage is notified at once and stops, even during a tool call. Nothing that the worker does
/// afterwards is recorded.
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

/// Replay a stage as a new attempt.
///
/// The stage must have completed or failed. The stages that need it run again too. Earlier attempts stay in the
/// record. If two replays are requested at the same time, the second fails because the session is running.
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
        (status = 404, description = "Session, stage or branch not found"),
        (status = 409, description = "The session is running, the stage has neither completed nor failed, or another session handles the same alert"),
        (status = 422, description = "No reason, or an invalid override"),
    )
)]
pub(crate) async fn replay(
    State(app): State<AppState>,
    actor: Actor,
    Path((session_id, stage_index)): Path<(String, String)>,
    ValidJson(body): ValidJson<ReplayRequest>,
) -> Result<(StatusCode, Json<Replayed>), Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    let index: Option<i32> = stage_index.parse().ok().filter(|index| *index >= 0);
    let stage_index =
        Some(index.ok_or_else(|| invalid("stage_index", "must be a whole number from 0"))?);
    let overrides = replay::overrides(
        &app,
        body.llm_provider.as_deref(),
        body.iteration_strategy.as_deref(),
        body.agent.as_deref(),
    )?;
    if body.later_stages && overrides.llm_provider.is_none() {
        let detail = "needs `llm_provider`: only the provider holds for later stages".to_owned();
        return Err(Problem::InvalidRequest(vec![FieldError::new(
            "later_stages",
            detail,
        )]));
    }
    let request = Replay {
        session_id,
        stage_index,
        branch: body.branch,
        agent: overrides.agent,
        llm_provider: overrides.llm_provider,
        later_stages: body.later_stages,
        strategy: overrides.strategy,
    };
    let made = replay::replay(&app, &actor, &request, &body.reason).await?;
    let stage = made
        .stages
        .first()
        .ok_or_else(|| Problem::Internal("a replay without an attempt".into()))?;
    let replayed = Replayed {
        branches: made.stages.len(),
        session_id,
        stage_index: stage.stage_index,
        attempt: stage.attempt,
        execution_id: stage.execution_id,
    };
    Ok((StatusCode::ACCEPTED, Json(replayed)))
}
