//! Bulk cancel and replay by filter.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tarsy_model::SessionId;
use tarsy_store::admin::{Eligible, Matching, Replay, count_matching, matching_sessions};
use utoipa::ToSchema;

use crate::access::Actor;
use crate::problem::Problem;
use crate::server::operator_request::{Reason, ValidJson};
use crate::server::state::AppState;
use crate::sessions::{cancel as cancel_session, filter, replay as replay_stage};

/// Maximum number of sessions of one request. The oldest come first, each in a separate transaction.
const MOST: i64 = 1_000;
/// Maximum number of session ids in a response.
const NAMED: usize = 100;

/// Filter and reason of a bulk action.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkRequest {
    /// Filters of `GET /api/v1/history/sessions` by name, e.g. `status`, `alert_type`, `agent`, `cluster` or
    /// `search`. At least one is required.
    #[schema(value_type = Object, example = json!({"alert_type": "kubernetes", "status": ["failed"]}))]
    filter: Map<String, Value>,
    /// Reason, stored in the audit log with each session.
    reason: Reason,
    /// Whether sessions are only counted. Default true.
    #[serde(default = "yes")]
    #[schema(default = true)]
    dry_run: bool,
}

const fn yes() -> bool {
    true
}

/// Result of a bulk action.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ManySessions)]
pub(crate) struct BulkResult {
    dry_run: bool,
    /// Number of matching sessions to which the action applies, counted up to 10,000.
    matched: i64,
    /// Whether `matched` is exact.
    matched_is_exact: bool,
    /// Number of sessions that were changed, at most 1,000 per request. Repeat the request for the rest.
    affected: usize,
    /// The first 100 of these sessions. On a dry run, sessions that would be changed.
    #[schema(value_type = Vec<uuid::Uuid>)]
    session_ids: Vec<SessionId>,
}

/// Cancel the running sessions that match a filter.
///
/// Only counts the sessions, unless `dry_run` is false.
#[utoipa::path(
    post, path = "/api/v1/admin/sessions/cancel", tag = "admin", operation_id = "cancel_sessions", request_body = BulkRequest,
    responses(
        (status = 200, description = "Result", body = BulkResult),
        (status = 422, description = "No reason, or an invalid filter"),
    )
)]
pub(crate) async fn cancel(
    State(app): State<AppState>,
    actor: Actor,
    ValidJson(body): ValidJson<BulkRequest>,
) -> Result<Json<BulkResult>, Problem> {
    act(&app, &actor, &body, BulkAction::Cancel).await
}

/// Replay failed stages of sessions that match a filter.
///
/// Replays the first failed stage of each ended session. Only counts the sessions, unless `dry_run` is false.
#[utoipa::path(
    post, path = "/api/v1/admin/sessions/replay", tag = "admin", operation_id = "replay_sessions", request_body = BulkRequest,
    responses(
        (status = 200, description = "Result", body = BulkResult),
        (status = 422, description = "No reason, or an invalid filter"),
    )
)]
pub(crate) async fn replay(
    State(app): State<AppState>,
    actor: Actor,
    ValidJson(body): ValidJson<BulkRequest>,
) -> Result<Json<BulkResult>, Problem> {
    act(&app, &actor, &body, BulkAction::Replay).await
}

/// Action on many sessions.
#[derive(Clone, Copy, Debug)]
enum BulkAction {
    Cancel,
    Replay,
}

impl BulkAction {
    /// Sessions that the action applies to.
    const fn eligible(self) -> Eligible {
        match self {
            Self::Cancel => Eligible::Live,
            Self::Replay => Eligible::Replayable,
        }
    }

    /// Applies the action to one session, in a separate transaction.
    async fn apply(
        self,
        app: &AppState,
        actor: &Actor,
        session_id: SessionId,
        reason: &Reason,
    ) -> Result<(), Problem> {
        match self {
            Self::Cancel => cancel_session::cancel(app, actor, session_id, reason).await,
            Self::Replay => {
                let replayed =
                    replay_stage::replay(app, actor, &Replay::first_failed(session_id), reason)
                        .await;
                replayed.map(drop)
            }
        }
    }
}

/// Runs a bulk action with one transaction per session. A session that changed meanwhile is
/// skipped, and an interrupted request leaves no session half done.
async fn act(
    app: &AppState,
    actor: &Actor,
    body: &BulkRequest,
    action: BulkAction,
) -> Result<Json<BulkResult>, Problem> {
    let (filter, search) = filter::read(&body.filter)?;
    let matching = Matching {
        eligible: action.eligible(),
        filter,
        search,
    };
    let mut conn = app.history_pool.acquire().await?;
    let count = count_matching(&mut conn, &matching).await?;
    let mut session_ids = matching_sessions(&mut conn, &matching, MOST).await?;
    drop(conn);
    let mut affected = 0;
    if !body.dry_run {
        let mut done = Vec::new();
        for session_id in session_ids {
            match action.apply(app, actor, session_id, &body.reason).await {
                Ok(()) => done.push(session_id),
                Err(Problem::Conflict(_) | Problem::SessionNotFound) => {}
                Err(problem) => return Err(problem),
            }
        }
        affected = done.len();
        session_ids = done;
    }
    session_ids.truncate(NAMED);
    Ok(Json(BulkResult {
        dry_run: body.dry_run,
        matched: count.number,
        matched_is_exact: count.is_exact,
        affected,
        session_ids,
    }))
}
