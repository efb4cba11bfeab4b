//! Cancelling and replaying by filter, counted before it is done.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tarsy_model::SessionId;
use tarsy_store::admin::{Concerned, Matching, Replay, count_matching, matching_sessions};
use utoipa::ToSchema;

use crate::access::Actor;
use crate::admin::request::{Reason, ValidJson};
use crate::admin::{cancel as cancel_session, filter, replay as replay_stage};
use crate::problem::Problem;
use crate::state::AppState;

/// Sessions acted on by one request, each in a transaction of its own; the oldest first.
const MOST: i64 = 1_000;
/// Sessions named in an answer.
const NAMED: usize = 100;

/// Which sessions, and why.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkRequest {
    /// The filters of `GET /api/v1/history/sessions` by name, e.g. `status`, `alert_type`, `agent`,
    /// `cluster` or `search`; at least one.
    #[schema(value_type = Object, example = json!({"alert_type": "kubernetes", "status": ["failed"]}))]
    filter: Map<String, Value>,
    /// ReasonBody; kept in the audit log with each session.
    reason: Reason,
    /// Count only; the default.
    #[serde(default = "yes")]
    #[schema(default = true)]
    dry_run: bool,
}

const fn yes() -> bool {
    true
}

/// What was done, or would be.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ManySessions)]
pub(crate) struct BulkResult {
    dry_run: bool,
    /// Sessions that match and can be acted on; at most 10,000 are counted.
    matched: i64,
    /// Whether that is all of them.
    matched_is_exact: bool,
    /// Sessions that were acted on, at most 1,000 a request; ask again for the rest.
    affected: usize,
    /// The first 100 that were acted on; on a dry run, that would be.
    #[schema(value_type = Vec<uuid::Uuid>)]
    session_ids: Vec<SessionId>,
}

/// Cancel the sessions under way that match a filter; counts them unless `dry_run` is false.
#[utoipa::path(
    post, path = "/api/v1/admin/sessions/cancel", tag = "admin", operation_id = "cancel_sessions", request_body = BulkRequest,
    responses(
        (status = 200, description = "What was done, or would be", body = BulkResult),
        (status = 422, description = "No reason, or an invalid filter"),
    )
)]
pub(crate) async fn cancel(
    State(app): State<AppState>,
    actor: Actor,
    ValidJson(asked): ValidJson<BulkRequest>,
) -> Result<Json<BulkResult>, Problem> {
    act(&app, &actor, &asked, BulkAction::Cancel).await
}

/// Run the first failed stage again of each ended session that matches a filter; counts them
/// unless `dry_run` is false.
#[utoipa::path(
    post, path = "/api/v1/admin/sessions/replay", tag = "admin", operation_id = "replay_sessions", request_body = BulkRequest,
    responses(
        (status = 200, description = "What was done, or would be", body = BulkResult),
        (status = 422, description = "No reason, or an invalid filter"),
    )
)]
pub(crate) async fn replay(
    State(app): State<AppState>,
    actor: Actor,
    ValidJson(asked): ValidJson<BulkRequest>,
) -> Result<Json<BulkResult>, Problem> {
    act(&app, &actor, &asked, BulkAction::Replay).await
}

/// Action on many sessions.
#[derive(Clone, Copy, Debug)]
enum BulkAction {
    Cancel,
    Replay,
}

impl BulkAction {
    /// Sessions that the action applies to.
    const fn concerned(self) -> Concerned {
        match self {
            Self::Cancel => Concerned::Live,
            Self::Replay => Concerned::Replayable,
        }
    }

    /// Acts on one session, in a transaction of its own.
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

/// One transaction a session, so that nobody waits for many: a session that changed meanwhile
/// is left out, and a request that breaks off leaves whole sessions behind.
async fn act(
    app: &AppState,
    actor: &Actor,
    asked: &BulkRequest,
    action: BulkAction,
) -> Result<Json<BulkResult>, Problem> {
    let (filter, search) = filter::read(&asked.filter)?;
    let matching = Matching {
        concerned: action.concerned(),
        filter,
        search,
    };
    let mut conn = app.history_pool.acquire().await?;
    let count = count_matching(&mut conn, &matching).await?;
    let mut session_ids = matching_sessions(&mut conn, &matching, MOST).await?;
    drop(conn);
    let mut affected = 0;
    if !asked.dry_run {
        let mut done = Vec::new();
        for session_id in session_ids {
            match action.apply(app, actor, session_id, &asked.reason).await {
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
        dry_run: asked.dry_run,
        matched: count.number,
        matched_is_exact: count.is_exact,
        affected,
        session_ids,
    }))
}
