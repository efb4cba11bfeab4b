//! How long things are kept, how large they are, and forgetting what is past its time now.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tarsy_failpoint::reached;
use tarsy_model::OperatorAction;
use tarsy_store::admin::{Overdue, count_overdue, table_sizes};
use tarsy_store::{prune_events, prune_sessions};
use utoipa::ToSchema;

use crate::access::Actor;
use crate::admin::audit::note;
use crate::admin::request::{Reason, ValidJson};
use crate::problem::Problem;
use crate::state::AppState;

/// Sessions deleted in one transaction.
const SESSIONS: i64 = 200;
/// Events deleted in one transaction.
const EVENTS: i64 = 5_000;
/// Transactions of one request; the chain workers go on by themselves.
const MOST: usize = 100;

/// What is kept, for how long, and what it takes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RetentionState)]
pub(crate) struct Retention {
    /// Ended sessions with all they hold, in days (`HISTORY_RETENTION_DAYS`).
    history_retention_days: u64,
    /// Whether interactions outlive their session (`HISTORY_ENABLED`).
    history_enabled: bool,
    /// Events that reconnecting sockets can catch up on, in seconds.
    event_retention_seconds: u64,
    /// How often a chain worker looks for what is past its time, in seconds.
    prune_interval_seconds: u64,
    /// Ended sessions that are past their time.
    overdue_sessions: i64,
    /// Events that are past their time.
    overdue_events: i64,
    /// All tables with their indexes, together.
    total_bytes: i64,
    /// Tables, largest first.
    sizes: Vec<Size>,
}

/// A table on disk.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TableSize)]
pub(crate) struct Size {
    #[schema(example = "llm_interactions")]
    table: String,
    /// As the statistics estimate them.
    rows: i64,
    /// With indexes.
    bytes: i64,
}

/// Forget what is past its time.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PruneAsked {
    /// ReasonBody; kept in the audit log.
    reason: Reason,
    /// Count only; the default.
    #[serde(default = "yes")]
    #[schema(default = true)]
    dry_run: bool,
}

const fn yes() -> bool {
    true
}

/// What was deleted, or would be.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Pruned {
    dry_run: bool,
    /// Sessions with all they hold; at most 20,000 a request.
    sessions: u64,
    events: u64,
}

/// What is kept, for how long, and how large the tables are.
#[utoipa::path(
    get, path = "/api/v1/admin/retention", tag = "admin", operation_id = "show_retention",
    responses(
        (status = 200, description = "Schedules and sizes", body = Retention),
    )
)]
pub(crate) async fn show(State(app): State<AppState>) -> Result<Json<Retention>, Problem> {
    let mut conn = app.pool.acquire().await?;
    let keep = app.catalog.retention();
    let overdue = count_overdue(&mut conn, keep.history, keep.events).await?;
    let sizes = table_sizes(&mut conn).await?;
    Ok(Json(Retention {
        history_retention_days: app.catalog.retention_days(),
        history_enabled: app.history.enabled,
        event_retention_seconds: keep.events.as_secs(),
        prune_interval_seconds: tarsy_store::PRUNE_INTERVAL.as_secs(),
        overdue_sessions: overdue.sessions,
        overdue_events: overdue.events,
        total_bytes: sizes.iter().map(|size| size.bytes).sum(),
        sizes: sizes
            .into_iter()
            .map(|size| Size {
                table: size.table,
                rows: size.rows,
                bytes: size.bytes,
            })
            .collect(),
    }))
}

/// Delete what is past its time now, in small batches; counts it unless `dry_run` is false.
#[utoipa::path(
    post, path = "/api/v1/admin/retention/prune", tag = "admin", operation_id = "prune_history", request_body = PruneAsked,
    responses(
        (status = 200, description = "What was deleted, or would be", body = Pruned),
    )
)]
pub(crate) async fn prune(
    State(app): State<AppState>,
    actor: Actor,
    ValidJson(asked): ValidJson<PruneAsked>,
) -> Result<Json<Pruned>, Problem> {
    if asked.dry_run {
        let keep = app.catalog.retention();
        let mut conn = app.pool.acquire().await?;
        let Overdue { sessions, events } =
            count_overdue(&mut conn, keep.history, keep.events).await?;
        return Ok(Json(Pruned {
            dry_run: true,
            sessions: sessions.unsigned_abs(),
            events: events.unsigned_abs(),
        }));
    }
    let mut pruned = Pruned {
        dry_run: false,
        sessions: 0,
        events: 0,
    };
    for batch in 0..MOST {
        let (sessions, events) = forget(&app, &actor, &asked.reason, batch).await?;
        pruned.sessions += sessions;
        pruned.events += events;
        if sessions < SESSIONS.unsigned_abs() && events < EVENTS.unsigned_abs() {
            break;
        }
    }
    Ok(Json(pruned))
}

/// One batch, with its entry in the log: the first has one even if there was nothing to do.
async fn forget(
    app: &AppState,
    actor: &Actor,
    reason: &Reason,
    batch: usize,
) -> Result<(u64, u64), Problem> {
    let keep = app.catalog.retention();
    let mut tx = app.pool.begin().await?;
    let sessions = prune_sessions(&mut tx, keep.history, SESSIONS).await?;
    let events = prune_events(&mut tx, keep.events, EVENTS).await?;
    if batch == 0 || sessions > 0 || events > 0 {
        let details = json!({ "sessions": sessions, "events": events, "batch": batch });
        note(
            &mut tx,
            actor,
            OperatorAction::PruneHistory,
            "overdue",
            reason,
            details,
        )
        .await?;
    }
    reached("admin.prune.before_commit");
    tx.commit().await?;
    reached("admin.prune.after_commit");
    Ok((sessions, events))
}
