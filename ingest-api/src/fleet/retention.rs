//! Retention periods, table sizes and pruning.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tarsy_failpoint::reached;
use tarsy_model::OperatorAction;
use tarsy_store::admin::{Overdue, count_overdue, table_sizes};
use tarsy_store::retention::{prune_events, prune_sessions};
use utoipa::ToSchema;

use crate::access::Actor;
use crate::problem::Problem;
use crate::server::audit::note;
use crate::server::operator_request::{Reason, ValidJson};
use crate::server::state::AppState;

/// Sessions deleted in one transaction.
const SESSIONS: i64 = 200;
/// Events deleted in one transaction.
const EVENTS: i64 = 5_000;
/// Maximum number of transactions of one request. Chain workers prune the rest.
const MOST: usize = 100;

/// Retention periods and table sizes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RetentionState)]
pub(crate) struct Retention {
    /// Retention of ended sessions, in days (`HISTORY_RETENTION_DAYS`).
    history_retention_days: u64,
    /// Whether interactions are retained after their session ends (`HISTORY_ENABLED`).
    history_enabled: bool,
    /// Retention of events for reconnecting WebSockets, in seconds.
    event_retention_seconds: u64,
    /// Interval between prunes of a chain worker, in seconds.
    prune_interval_seconds: u64,
    /// Expired sessions that are not deleted yet.
    overdue_sessions: i64,
    /// Expired events that are not deleted yet.
    overdue_events: i64,
    /// Total size of tables and indexes.
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
    /// Estimate from the planner's statistics.
    rows: i64,
    /// Size including indexes.
    bytes: i64,
}

/// Prune request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PruneAsked {
    /// Reason, stored in the audit log.
    reason: Reason,
    /// Whether rows are only counted, not deleted. Default true.
    #[serde(default = "yes")]
    #[schema(default = true)]
    dry_run: bool,
}

const fn yes() -> bool {
    true
}

/// Number of deleted rows; on a dry run, number of rows that would be deleted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Pruned {
    dry_run: bool,
    /// Sessions, each with all its rows; at most 20,000 per request.
    sessions: u64,
    events: u64,
}

/// Get retention periods and table sizes.
#[utoipa::path(
    get, path = "/api/v1/admin/retention", tag = "admin", operation_id = "show_retention",
    responses(
        (status = 200, description = "Retention periods and table sizes", body = Retention),
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
        prune_interval_seconds: tarsy_store::retention::PRUNE_INTERVAL.as_secs(),
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

/// Delete expired data in small batches.
///
/// Only counts the data, unless `dry_run` is false.
#[utoipa::path(
    post, path = "/api/v1/admin/retention/prune", tag = "admin", operation_id = "prune_history", request_body = PruneAsked,
    responses(
        (status = 200, description = "Result", body = Pruned),
    )
)]
pub(crate) async fn prune(
    State(app): State<AppState>,
    actor: Actor,
    ValidJson(body): ValidJson<PruneAsked>,
) -> Result<Json<Pruned>, Problem> {
    if body.dry_run {
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
        let (sessions, events) = forget(&app, &actor, &body.reason, batch).await?;
        pruned.sessions += sessions;
        pruned.events += events;
        if sessions < SESSIONS.unsigned_abs() && events < EVENTS.unsigned_abs() {
            break;
        }
    }
    Ok(Json(pruned))
}

/// Deletes one batch and writes its audit entry. The first batch gets an entry even if nothing was deleted.
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
