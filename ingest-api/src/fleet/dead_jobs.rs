//! Endpoints of dead jobs: list, show, requeue and discard.

use std::collections::HashMap;

use axum::Json;
use axum::extract::{Path, State};
use chrono::DateTime;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::PgConnection;
use tarsy_failpoint::reached;
use tarsy_model::{OperatorAction, SessionId};
use tarsy_queue::{DeadFilter, DeadReason};
use tarsy_store::admin::Subject;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::access::Actor;
use crate::problem::{ConflictError, Problem};
use crate::server::audit::note;
use crate::server::operator_request::{PageSize, ReasonBody, ValidJson, ValidQuery, invalid};
use crate::server::state::AppState;

/// The end of the year 9999, in Unix microseconds.
const LAST_US: i64 = 253_402_300_799_999_999;

/// Filter of dead jobs.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Queue.
    queue: Option<String>,
    /// `exhausted`, `cancelled` or `undecodable`.
    reason: Option<String>,
    /// `next` of the previous page.
    before: Option<String>,
    /// 1 to 200; default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u16>,
}

/// Job that is no longer retried.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeadJob {
    job_id: Uuid,
    queue: String,
    kind: String,
    /// Id of the session, stage execution or delivery.
    subject: Uuid,
    #[schema(value_type = Option<Uuid>)]
    session_id: Option<SessionId>,
    /// `exhausted`: all attempts failed; `cancelled`: the job's handler gave up; `undecodable`: no worker can decode
    /// the job.
    reason: &'static str,
    error: String,
    attempts: i32,
    max_attempts: i32,
    /// Workers that crashed or froze while running it.
    crashes: i32,
    /// Number of snoozes, which do not count as attempts.
    snoozes: i32,
    created_at_us: i64,
    died_at_us: i64,
    /// Payload of the job. Only in the response for a single job.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    payload: Option<Value>,
}

/// A page of dead jobs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeadJobs {
    /// Newest first.
    dead_jobs: Vec<DeadJob>,
    /// Cursor of the next page, for `before`.
    next: Option<String>,
}

impl DeadJob {
    fn new(job: tarsy_queue::DeadJob, subjects: &HashMap<Uuid, Subject>) -> Self {
        Self {
            job_id: job.id,
            queue: job.queue,
            kind: job.kind,
            subject: job.subject,
            session_id: subjects.get(&job.subject).map(|about| about.session_id),
            reason: job.reason.as_str(),
            error: job.error,
            attempts: job.attempts,
            max_attempts: job.max_attempts,
            crashes: job.crashes,
            snoozes: job.snoozes,
            created_at_us: job.created_at.timestamp_micros(),
            died_at_us: job.died_at.timestamp_micros(),
            payload: None,
        }
    }
}

/// List dead jobs, newest first.
#[utoipa::path(
    get, path = "/api/v1/admin/dead-jobs", tag = "admin", operation_id = "list_dead_jobs", params(Filter),
    responses(
        (status = 200, description = "A page", body = DeadJobs),
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    ValidQuery(wanted): ValidQuery<Filter>,
) -> Result<Json<DeadJobs>, Problem> {
    let page = PageSize::from_limit(wanted.limit)?;
    let filter = DeadFilter {
        queue: wanted.queue,
        reason: wanted.reason.as_deref().map(reason).transpose()?,
        id: None,
        after: wanted.before.as_deref().map(read_cursor).transpose()?,
    };
    let mut conn = app.pool.acquire().await?;
    let dead = tarsy_queue::list_dead(&mut conn, &filter, page.to_read()).await?;
    let (dead, next) = page.cut(dead, write_cursor);
    let subjects = about(&mut conn, &dead).await?;
    let dead_jobs = dead.into_iter().map(|job| DeadJob::new(job, &subjects));
    Ok(Json(DeadJobs {
        dead_jobs: dead_jobs.collect(),
        next,
    }))
}

/// Get a dead job with its payload.
#[utoipa::path(
    get, path = "/api/v1/admin/dead-jobs/{job_id}", tag = "admin", operation_id = "show_dead_job",
    params(("job_id" = Uuid, Path, description = "Id from the list")),
    responses(
        (status = 200, description = "The job", body = DeadJob),
        (status = 404, description = "Dead job not found"),
    )
)]
pub(crate) async fn show(
    State(app): State<AppState>,
    Path(job_id): Path<String>,
) -> Result<Json<DeadJob>, Problem> {
    let mut conn = app.pool.acquire().await?;
    let dead = NamedDeadJob::read(&mut conn, &job_id).await?;
    let payload = Some(dead.job.payload.clone());
    Ok(Json(DeadJob {
        payload,
        ..dead.shown()
    }))
}

/// Requeue a dead job and reset its attempt counts.
#[utoipa::path(
    post, path = "/api/v1/admin/dead-jobs/{job_id}/requeue", tag = "admin", operation_id = "requeue_dead_job", request_body = ReasonBody,
    params(("job_id" = Uuid, Path, description = "Id from the list")),
    responses(
        (status = 200, description = "Requeued; returns the job as it was before", body = DeadJob),
        (status = 404, description = "Dead job not found"),
        (status = 409, description = "An active job with the same unique key exists"),
    )
)]
pub(crate) async fn requeue(
    State(app): State<AppState>,
    actor: Actor,
    Path(job_id): Path<String>,
    ValidJson(why): ValidJson<ReasonBody>,
) -> Result<Json<DeadJob>, Problem> {
    let mut tx = app.pool.begin().await?;
    let dead = NamedDeadJob::read(&mut tx, &job_id).await?;
    let queue = tarsy_queue::requeue_dead(&mut tx, dead.job.id).await?;
    dead.note(&mut tx, &actor, OperatorAction::RequeueJob, &why)
        .await?;
    reached("admin.requeue.before_commit");
    tx.commit().await?;
    reached("admin.requeue.after_commit");
    app.waker.wake(&queue);
    Ok(Json(dead.shown()))
}

/// Discard a dead job.
///
/// Refused while a running session depends on the job.
#[utoipa::path(
    post, path = "/api/v1/admin/dead-jobs/{job_id}/discard", tag = "admin", operation_id = "discard_dead_job", request_body = ReasonBody,
    params(("job_id" = Uuid, Path, description = "Id from the list")),
    responses(
        (status = 200, description = "Discarded; returns the job as it was before", body = DeadJob),
        (status = 404, description = "Dead job not found"),
        (status = 409, description = "A running session depends on the job"),
    )
)]
pub(crate) async fn discard(
    State(app): State<AppState>,
    actor: Actor,
    Path(job_id): Path<String>,
    ValidJson(why): ValidJson<ReasonBody>,
) -> Result<Json<DeadJob>, Problem> {
    let mut tx = app.pool.begin().await?;
    let dead = NamedDeadJob::read(&mut tx, &job_id).await?;
    if let Some(about) = dead.about().filter(|about| about.is_live) {
        // A discarded job would come back, because the sweep of the chain workers creates the jobs
        // that a live session lacks.
        let work = tarsy_store::admin::live_work(&mut tx, about.session_id).await?;
        if work.contains(&dead.job.subject) && !tarsy_queue::has_job(&mut tx, &work).await? {
            return Err(ConflictError::JobNeeded.into());
        }
    }
    tarsy_queue::discard_dead(&mut tx, dead.job.id).await?;
    dead.note(&mut tx, &actor, OperatorAction::DiscardJob, &why)
        .await?;
    reached("admin.discard.before_commit");
    tx.commit().await?;
    reached("admin.discard.after_commit");
    Ok(Json(dead.shown()))
}

/// A dead job that a request names.
struct NamedDeadJob {
    job: tarsy_queue::DeadJob,
    subjects: HashMap<Uuid, Subject>,
}

impl NamedDeadJob {
    async fn read(conn: &mut PgConnection, job_id: &str) -> Result<Self, Problem> {
        let job_id: Uuid = job_id.parse().map_err(|_| ConflictError::DeadJobNotFound)?;
        let filter = DeadFilter {
            id: Some(job_id),
            ..DeadFilter::default()
        };
        let dead = tarsy_queue::list_dead(conn, &filter, 1).await?;
        let subjects = about(conn, &dead).await?;
        let job = dead
            .into_iter()
            .next()
            .ok_or(ConflictError::DeadJobNotFound)?;
        Ok(Self { job, subjects })
    }

    fn about(&self) -> Option<&Subject> {
        self.subjects.get(&self.job.subject)
    }

    fn shown(self) -> DeadJob {
        DeadJob::new(self.job, &self.subjects)
    }

    /// Writes the audit entry of a requeue or discard. It holds all data of the job, because the
    /// row is deleted.
    async fn note(
        &self,
        conn: &mut PgConnection,
        actor: &Actor,
        action: OperatorAction,
        why: &ReasonBody,
    ) -> Result<(), Problem> {
        let job = &self.job;
        let details = json!({
            "queue": job.queue, "kind": job.kind, "subject": job.subject, "died_of": job.reason.as_str(),
            "error": job.error, "attempts": job.attempts, "crashes": job.crashes, "payload": job.payload,
        });
        note(conn, actor, action, job.id, &why.reason, details).await
    }
}

async fn about(
    conn: &mut PgConnection,
    dead: &[tarsy_queue::DeadJob],
) -> Result<HashMap<Uuid, Subject>, Problem> {
    let subjects: Vec<Uuid> = dead.iter().map(|job| job.subject).collect();
    Ok(tarsy_store::admin::subjects_of(conn, &subjects).await?)
}

fn reason(word: &str) -> Result<DeadReason, Problem> {
    let known = DeadReason::WORDS.join(", ");
    DeadReason::from_word(word).ok_or_else(|| invalid("reason", format!("must be one of {known}")))
}

fn write_cursor(job: &tarsy_queue::DeadJob) -> String {
    format!("{}_{}", job.died_at.timestamp_micros(), job.id)
}

fn read_cursor(text: &str) -> Result<(DateTime<chrono::Utc>, Uuid), Problem> {
    let parts = text.split_once('_').and_then(|(us, id)| {
        let us = us.parse().ok().filter(|us| (0..=LAST_US).contains(us))?;
        Some((DateTime::from_timestamp_micros(us)?, id.parse().ok()?))
    });
    parts.ok_or_else(|| invalid("before", "is not a `next` value of this list"))
}
