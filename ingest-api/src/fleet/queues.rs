//! Endpoints of queues: state, pause and resume.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use serde_json::json;
use sqlx::PgConnection;
use tarsy_failpoint::reached;
use tarsy_model::OperatorAction;
use tarsy_queue::QueueStats;
use utoipa::ToSchema;

use crate::access::Actor;
use crate::fleet::pools::{Lately, Stages};
use crate::problem::{ConflictError, Problem};
use crate::server::audit::note;
use crate::server::operator_request::{ReasonBody, ValidJson};
use crate::server::state::AppState;

/// Current state of a queue.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QueueState)]
pub(crate) struct Queue {
    #[schema(example = "stage:default")]
    queue: String,
    /// Jobs that are due.
    ready: i64,
    /// Jobs that are scheduled for later.
    scheduled: i64,
    /// Jobs that are running.
    running: i64,
    /// Dead jobs.
    dead: i64,
    /// Age of the oldest job that is due.
    oldest_ready_seconds: Option<f64>,
    /// Live workers that claim from the queue, without draining ones.
    workers: i64,
    /// Total concurrency of those workers, over all their queues.
    slots: i64,
    paused: bool,
    paused_at_us: Option<i64>,
    paused_by: Option<String>,
    /// Why the queue is paused.
    reason: Option<String>,
    /// Recent stages of the queue's pool; null if the queue has no pool.
    stages: Option<Stages>,
}

impl From<QueueStats> for Queue {
    fn from(stats: QueueStats) -> Self {
        Self {
            stages: None,
            queue: stats.queue,
            ready: stats.ready,
            scheduled: stats.scheduled,
            running: stats.running,
            dead: stats.dead,
            oldest_ready_seconds: stats.oldest_ready_seconds,
            workers: stats.workers,
            slots: stats.slots,
            paused: stats.paused_at.is_some(),
            paused_at_us: stats.paused_at.map(|at| at.timestamp_micros()),
            paused_by: stats.paused_by,
            reason: stats.pause_reason,
        }
    }
}

impl Queue {
    fn idle(queue: String) -> Self {
        Self {
            queue,
            ready: 0,
            scheduled: 0,
            running: 0,
            dead: 0,
            oldest_ready_seconds: None,
            workers: 0,
            slots: 0,
            paused: false,
            paused_at_us: None,
            paused_by: None,
            reason: None,
            stages: None,
        }
    }
}

/// All queues.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QueueStates)]
pub(crate) struct Queues {
    /// Sorted by name.
    queues: Vec<Queue>,
    /// Start of the period in which stages of pools are counted, in Unix microseconds. An hour ago, or less on a busy
    /// fleet.
    since_us: i64,
}

/// List queues.
///
/// Includes every queue that is configured, has workers, is paused or has jobs.
#[utoipa::path(
    get, path = "/api/v1/admin/queues", tag = "admin", operation_id = "list_queues",
    responses(
        (status = 200, description = "Queues", body = Queues),
    )
)]
pub(crate) async fn list(State(app): State<AppState>) -> Result<Json<Queues>, Problem> {
    let mut conn = app.pool.acquire().await?;
    Ok(Json(all(&app, &mut conn).await?))
}

/// Pause a queue.
///
/// Running jobs continue, and the pause survives restarts. If the queue is already paused, the first reason is kept.
#[utoipa::path(
    post, path = "/api/v1/admin/queues/{queue}/pause", tag = "admin", operation_id = "pause_queue", request_body = ReasonBody,
    params(("queue" = String, Path, description = "Name of the queue", example = "stage:default")),
    responses(
        (status = 200, description = "Paused", body = Queue),
        (status = 404, description = "Queue not found"),
    )
)]
pub(crate) async fn pause(
    State(app): State<AppState>,
    actor: Actor,
    Path(queue): Path<String>,
    ValidJson(why): ValidJson<ReasonBody>,
) -> Result<Json<Queue>, Problem> {
    change(&app, &actor, &queue, &why, OperatorAction::PauseQueue).await
}

/// Resume a queue.
#[utoipa::path(
    post, path = "/api/v1/admin/queues/{queue}/resume", tag = "admin", operation_id = "resume_queue", request_body = ReasonBody,
    params(("queue" = String, Path, description = "Name of the queue", example = "stage:default")),
    responses(
        (status = 200, description = "Resumed", body = Queue),
        (status = 404, description = "Queue not found"),
    )
)]
pub(crate) async fn resume(
    State(app): State<AppState>,
    actor: Actor,
    Path(queue): Path<String>,
    ValidJson(why): ValidJson<ReasonBody>,
) -> Result<Json<Queue>, Problem> {
    change(&app, &actor, &queue, &why, OperatorAction::ResumeQueue).await
}

async fn change(
    app: &AppState,
    actor: &Actor,
    queue: &str,
    why: &ReasonBody,
    action: OperatorAction,
) -> Result<Json<Queue>, Problem> {
    let mut tx = app.pool.begin().await?;
    let before = now(app, &mut tx).await?;
    if !before.iter().any(|known| known.queue == queue) {
        let known = before.into_iter().map(|known| known.queue).collect();
        return Err(ConflictError::QueueNotFound { known }.into());
    }
    let pausing = matches!(action, OperatorAction::PauseQueue);
    if pausing {
        tarsy_queue::pause(&mut tx, queue, actor.name(), why.reason.as_str()).await?;
    } else {
        tarsy_queue::resume(&mut tx, queue).await?;
    }
    note(&mut tx, actor, action, queue, &why.reason, json!({})).await?;
    let after = all(app, &mut tx).await?;
    reached("admin.queue.before_commit");
    tx.commit().await?;
    reached("admin.queue.after_commit");
    if !pausing {
        app.waker.wake(queue);
    }
    let after = after.queues.into_iter().find(|known| known.queue == queue);
    Ok(Json(after.unwrap_or_else(|| Queue::idle(queue.to_owned()))))
}

/// Reads all queues with the recent stages of their pools.
async fn all(app: &AppState, conn: &mut PgConnection) -> Result<Queues, Problem> {
    let mut queues = now(app, conn).await?;
    let lately = Lately::read(conn).await?;
    for queue in &mut queues {
        queue.stages = lately.stages_of(&queue.queue);
    }
    let since_us = lately.since_us;
    Ok(Queues { queues, since_us })
}

/// Reads all queues, including configured ones that never had a job.
async fn now(app: &AppState, conn: &mut PgConnection) -> Result<Vec<Queue>, Problem> {
    let stats = tarsy_queue::queue_stats(conn).await?;
    let mut queues: Vec<Queue> = stats.into_iter().map(Queue::from).collect();
    for name in app.catalog.queues() {
        if !queues.iter().any(|known| known.queue == *name) {
            queues.push(Queue::idle(name.clone()));
        }
    }
    queues.sort_by(|a, b| a.queue.cmp(&b.queue));
    Ok(queues)
}
