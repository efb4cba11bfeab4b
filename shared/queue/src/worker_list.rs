//! Lists workers for operators, and asks one to drain.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// The channel a wish to drain travels on; its payload is the worker.
pub(crate) const DRAIN_CHANNEL: &str = "tarsy_drain";

/// Age of a heartbeat beyond which a worker that lives doesn't answer, in seconds: five intervals.
const SILENT_AFTER_SECONDS: f64 = 15.0;

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
    /// What it offers jobs that require something. `None`: everything.
    pub offers: Option<Vec<String>>,
    /// Jobs it runs at the same time.
    pub slots: i32,
    /// When it started.
    pub started_at: DateTime<Utc>,
    /// Its last sign of life.
    pub heartbeat_at: DateTime<Utc>,
    /// How long ago that was, in seconds.
    pub heartbeat_age_seconds: f64,
    /// Whether it holds the lock that only a live process holds. A dead one is taken off the
    /// list by the next sweep.
    pub alive: bool,
    /// It claims nothing more and ends.
    pub draining: bool,
    /// Somebody asked it to.
    pub drain_requested: bool,
    /// What keeps it from doing its work, as it says itself.
    pub trouble: Option<String>,
    /// Hash of the configuration that it runs, if it said so.
    pub config_hash: Option<String>,
    /// Since when it runs that.
    pub config_since: Option<DateTime<Utc>>,
    /// What it runs now.
    pub running: Vec<RunningJob>,
}

impl WorkerStats {
    /// Whether it has not reported for a while. A process that is stopped (SIGSTOP, a frozen container) is silent
    /// and yet alive: it keeps its lock.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.heartbeat_age_seconds >= SILENT_AFTER_SECONDS
    }
}

/// A job that a worker holds.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RunningJob {
    /// The job.
    pub id: Uuid,
    /// Its queue.
    pub queue: String,
    /// Kind of work, which selects the handler.
    pub kind: String,
    /// The session or stage execution it is about.
    pub subject: Uuid,
    /// When its lease ends unless renewed, in seconds from now; negative: it has ended.
    pub expires_in_seconds: f64,
}

/// All workers, oldest first, with the jobs they hold.
pub async fn list_workers(conn: &mut PgConnection) -> Result<Vec<WorkerStats>, Error> {
    let workers = sqlx::query!(
        r#"
        select w.id, w.role, w.host, w.pid, w.version, w.queues, w.offers, w.slots, w.started_at, w.heartbeat_at, w.draining,
               w.drain_requested, w.trouble, w.config_hash, w.config_since,
               extract(epoch from clock_timestamp() - w.heartbeat_at)::float8 as "heartbeat_age_seconds!",
               exists (
                   select from pg_locks l
                   where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
                     and l.database = (select oid from pg_database where datname = current_database())
                     and (l.classid::bigint << 32) | l.objid::bigint = w.lock_key
               ) as "alive!"
        from workers w order by w.started_at, w.id
        "#
    )
    .fetch_all(&mut *conn)
    .await?;
    let jobs = sqlx::query!(
        r#"select owner as "owner!", id, queue, kind, subject,
                  extract(epoch from expires_at - clock_timestamp())::float8 as "expires_in_seconds!"
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
            expires_in_seconds: job.expires_in_seconds,
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
        offers: w.offers,
        slots: w.slots,
        started_at: w.started_at,
        heartbeat_at: w.heartbeat_at,
        heartbeat_age_seconds: w.heartbeat_age_seconds,
        alive: w.alive,
        draining: w.draining,
        drain_requested: w.drain_requested,
        trouble: w.trouble,
        config_since: w.config_hash.as_ref().and(w.config_since),
        config_hash: w.config_hash,
    });
    Ok(stats.collect())
}

/// Ask a worker to drain and end, as SIGTERM would; whether it exists.
///
/// Takes part in the caller's transaction and reaches the worker on commit; one that misses
/// the notification learns of it at its next renewal (a third of its lease).
pub async fn request_drain(conn: &mut PgConnection, worker: Uuid) -> Result<bool, Error> {
    let asked = sqlx::query_scalar!(
        r#"
        with asked as (update workers set drain_requested = true where id = $1 returning id)
        select pg_notify($2, id::text) is not null as "notified!" from asked
        "#,
        worker,
        DRAIN_CHANNEL,
    )
    .fetch_optional(conn)
    .await?;
    Ok(asked.is_some())
}
