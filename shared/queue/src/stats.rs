//! What an operator sees of queues and workers.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// One queue at this moment.
#[derive(Debug, Clone, serde::Serialize)]
pub struct QueueStats {
    /// The queue's name.
    pub queue: String,
    /// Jobs that could run now.
    pub ready: i64,
    /// Jobs that wait for their time.
    pub scheduled: i64,
    /// Jobs that are held by a worker.
    pub running: i64,
    /// Dead jobs that nobody has dealt with.
    pub dead: i64,
    /// How long the oldest ready job has been due, in seconds; 0 if none is.
    pub oldest_ready_seconds: f64,
    /// Since when the queue is paused.
    pub paused_at: Option<DateTime<Utc>>,
    /// Who paused it.
    pub paused_by: Option<String>,
    /// Why it is paused.
    pub pause_reason: Option<String>,
}

/// All queues that hold a job, are paused or are worked by somebody, by name.
///
/// Reads all of `jobs` once: meant for a page or a scrape, not for a hot path.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn queue_stats(conn: &mut PgConnection) -> Result<Vec<QueueStats>, Error> {
    let rows = sqlx::query_as!(
        QueueStats,
        r#"
        with live as (
            select queue,
                   count(*) filter (where state = 'ready') as ready,
                   count(*) filter (where state = 'scheduled') as scheduled,
                   count(*) filter (where state = 'running') as running,
                   min(run_at) filter (where state = 'ready') as oldest
            from jobs group by queue
        ), dead as (select queue, count(*) as dead from dead_jobs group by queue),
        names as (
            select queue from live union select queue from dead
            union select queue from queue_state union select unnest(queues) from workers
        )
        select n.queue as "queue!", coalesce(l.ready, 0) as "ready!",
               coalesce(l.scheduled, 0) as "scheduled!", coalesce(l.running, 0) as "running!",
               coalesce(d.dead, 0) as "dead!",
               coalesce(greatest(extract(epoch from clock_timestamp() - l.oldest), 0), 0)::float8
                   as "oldest_ready_seconds!",
               s.paused_at as "paused_at?", s.paused_by as "paused_by?", s.reason as "pause_reason?"
        from names n left join live l using (queue) left join dead d using (queue)
             left join queue_state s using (queue)
        order by n.queue
        "#
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

/// A worker process and what it runs.
#[derive(Debug, Clone, serde::Serialize)]
pub struct WorkerStats {
    /// The process incarnation, new with every start.
    pub id: Uuid,
    /// What kind of worker it is, e.g. `stage-worker`.
    pub role: String,
    /// Host it runs on.
    pub host: String,
    /// Its process id there.
    pub pid: i32,
    /// Its version.
    pub version: String,
    /// Queues it claims from.
    pub queues: Vec<String>,
    /// Jobs it runs at the same time.
    pub slots: i32,
    /// When it started.
    pub started_at: DateTime<Utc>,
    /// Its last sign of life.
    pub heartbeat_at: DateTime<Utc>,
    /// It claims nothing more and ends.
    pub draining: bool,
    /// What it runs now.
    pub running: Vec<RunningJob>,
}

/// A job that a worker holds.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RunningJob {
    /// The job.
    pub id: Uuid,
    /// Its queue.
    pub queue: String,
    /// What it does.
    pub kind: String,
    /// The session or stage execution it is about.
    pub subject: Uuid,
    /// When its lease ends unless renewed.
    pub expires_at: DateTime<Utc>,
}

/// All workers, oldest first, with the jobs they hold.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn list_workers(conn: &mut PgConnection) -> Result<Vec<WorkerStats>, Error> {
    let workers = sqlx::query!(
        "select id, role, host, pid, version, queues, slots, started_at, heartbeat_at, draining
         from workers order by started_at, id"
    )
    .fetch_all(&mut *conn)
    .await?;
    let jobs = sqlx::query!(
        r#"select owner as "owner!", id, queue, kind, subject, expires_at as "expires_at!"
           from jobs where owner is not null order by id"#
    )
    .fetch_all(conn)
    .await?;
    let running = |owner: Uuid| {
        let held = jobs.iter().filter(|job| job.owner == owner);
        held.map(|job| RunningJob {
            id: job.id,
            queue: job.queue.clone(),
            kind: job.kind.clone(),
            subject: job.subject,
            expires_at: job.expires_at,
        })
        .collect()
    };
    let stats = workers.into_iter().map(|w| WorkerStats {
        running: running(w.id),
        id: w.id,
        role: w.role,
        host: w.host,
        pid: w.pid,
        version: w.version,
        queues: w.queues,
        slots: w.slots,
        started_at: w.started_at,
        heartbeat_at: w.heartbeat_at,
        draining: w.draining,
    });
    Ok(stats.collect())
}

/// Ask a worker to drain and end, as SIGTERM would; whether it exists. It notices at its next
/// renewal (a third of its lease).
///
/// # Errors
///
/// [`Error::Database`].
pub async fn request_drain(conn: &mut PgConnection, worker: Uuid) -> Result<bool, Error> {
    let done = sqlx::query!(
        "update workers set drain_requested = true where id = $1",
        worker
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}
