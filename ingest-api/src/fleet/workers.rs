//! Endpoints of workers: list them with their jobs, and drain one.

use std::collections::HashMap;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::json;
use tarsy_failpoint::reached;
use tarsy_model::{OperatorAction, SessionId};
use tarsy_queue::{RunningJob, WorkerStats};
use tarsy_store::admin::Subject;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::access::Actor;
use crate::problem::{ConflictError, Problem};
use crate::server::audit::note;
use crate::server::operator_request::{ReasonBody, ValidJson};
use crate::server::state::AppState;

/// A worker process.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Worker {
    /// Id of the process; it changes with each start.
    worker_id: Uuid,
    #[schema(example = "stage-worker")]
    role: String,
    host: String,
    pid: i32,
    version: String,
    /// Queues from which the worker claims.
    queues: Vec<String>,
    /// Number of jobs that can run at the same time.
    slots: i32,
    started_at_us: i64,
    heartbeat_at_us: i64,
    heartbeat_age_seconds: f64,
    /// Whether its process holds its liveness lock.
    alive: bool,
    /// Whether the worker is alive and has reported within the last 15 seconds.
    answering: bool,
    /// Whether the worker is draining.
    draining: bool,
    /// Whether a drain was requested.
    drain_requested: bool,
    /// Problem that the worker reports.
    trouble: Option<String>,
    /// SHA-256 of the configuration file that the worker uses; null if the worker does not report it.
    config_hash: Option<String>,
    /// Time since which it uses this file, in Unix microseconds.
    config_since_us: Option<i64>,
    running: Vec<Running>,
}

/// A job that a worker is running.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunningJob)]
pub(crate) struct Running {
    job_id: Uuid,
    queue: String,
    kind: String,
    /// Id of the session, stage execution or delivery.
    subject: Uuid,
    #[schema(value_type = Option<Uuid>)]
    session_id: Option<SessionId>,
    stage_index: Option<i32>,
    stage_name: Option<String>,
    /// Time until the lease expires if it is not renewed.
    expires_in_seconds: f64,
}

/// All workers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Workers {
    /// Oldest first.
    workers: Vec<Worker>,
    /// SHA-256 of the configuration file that the responding process uses.
    config_hash: String,
}

impl Worker {
    fn new(stats: WorkerStats, subjects: &HashMap<Uuid, Subject>) -> Self {
        let answering = stats.alive && !stats.is_silent();
        let running = stats.running.into_iter();
        Self {
            answering,
            worker_id: stats.id,
            role: stats.role,
            host: stats.host,
            pid: stats.pid,
            version: stats.version,
            queues: stats.queues,
            slots: stats.slots,
            started_at_us: stats.started_at.timestamp_micros(),
            heartbeat_at_us: stats.heartbeat_at.timestamp_micros(),
            heartbeat_age_seconds: stats.heartbeat_age_seconds,
            alive: stats.alive,
            draining: stats.draining,
            drain_requested: stats.drain_requested,
            trouble: stats.trouble,
            config_since_us: stats.config_since.map(|since| since.timestamp_micros()),
            config_hash: stats.config_hash,
            running: running.map(|job| Running::new(job, subjects)).collect(),
        }
    }
}

impl Running {
    fn new(job: RunningJob, subjects: &HashMap<Uuid, Subject>) -> Self {
        let about = subjects.get(&job.subject);
        let stage = about.and_then(|about| about.stage.clone());
        let (stage_index, stage_name) = stage.unzip();
        Self {
            job_id: job.id,
            queue: job.queue,
            kind: job.kind,
            subject: job.subject,
            session_id: about.map(|about| about.session_id),
            stage_index,
            stage_name,
            expires_in_seconds: job.expires_in_seconds,
        }
    }
}

/// List worker processes with their jobs.
#[utoipa::path(
    get, path = "/api/v1/admin/workers", tag = "admin", operation_id = "list_workers",
    responses(
        (status = 200, description = "Workers", body = Workers),
    )
)]
pub(crate) async fn list(State(app): State<AppState>) -> Result<Json<Workers>, Problem> {
    let mut conn = app.pool.acquire().await?;
    let workers = tarsy_queue::list_workers(&mut conn).await?;
    let held = workers.iter().flat_map(|worker| &worker.running);
    let subjects: Vec<Uuid> = held.map(|job| job.subject).collect();
    let subjects = tarsy_store::admin::subjects_of(&mut conn, &subjects).await?;
    let workers = workers.into_iter();
    Ok(Json(Workers {
        workers: workers.map(|stats| Worker::new(stats, &subjects)).collect(),
        config_hash: app.catalog.config_hash().to_owned(),
    }))
}

/// Drain a worker.
///
/// The worker claims no more jobs, and finishes running jobs within its grace period. It then returns the others and
/// exits, as on SIGTERM.
#[utoipa::path(
    post, path = "/api/v1/admin/workers/{worker_id}/drain", tag = "admin", operation_id = "drain_worker", request_body = ReasonBody,
    params(("worker_id" = Uuid, Path, description = "Id from the list")),
    responses(
        (status = 202, description = "Drain requested"),
        (status = 404, description = "Worker not found"),
    )
)]
pub(crate) async fn drain(
    State(app): State<AppState>,
    actor: Actor,
    Path(worker_id): Path<String>,
    ValidJson(why): ValidJson<ReasonBody>,
) -> Result<StatusCode, Problem> {
    let worker_id: Uuid = worker_id
        .parse()
        .map_err(|_| ConflictError::WorkerNotFound)?;
    let mut tx = app.pool.begin().await?;
    if !tarsy_queue::request_drain(&mut tx, worker_id).await? {
        return Err(ConflictError::WorkerNotFound.into());
    }
    note(
        &mut tx,
        &actor,
        OperatorAction::DrainWorker,
        worker_id,
        &why.reason,
        json!({}),
    )
    .await?;
    reached("admin.drain.before_commit");
    tx.commit().await?;
    reached("admin.drain.after_commit");
    Ok(StatusCode::ACCEPTED)
}
