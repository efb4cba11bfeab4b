//! Enqueues jobs inside the caller's transaction.

use std::time::Duration;

use serde::Serialize;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// All priorities. Each is one lane of a queue.
pub(crate) const PRIORITIES: [i16; 4] = [0, 1, 2, 3];

/// Default number of attempts of a job. The table has the same default.
pub const DEFAULT_MAX_ATTEMPTS: i32 = 20;

/// A job to add to a queue.
#[derive(Debug, Clone)]
pub struct NewJob {
    id: Uuid,
    queue: String,
    kind: String,
    subject: Uuid,
    unique_key: Option<String>,
    payload: serde_json::Value,
    priority: i16,
    delay: Duration,
    max_attempts: i32,
    epoch: i64,
    traceparent: Option<String>,
    requires: Option<Vec<String>>,
}

impl NewJob {
    /// Creates a job that is ready at once, without a unique key, of priority 0.
    ///
    /// `kind` selects what the handler does. `subject` is the session or stage execution that the job is about;
    /// [`request_cancel`](crate::request_cancel) finds jobs by it. Jobs outlive deployments, so never reuse the name
    /// of a queue or kind for something else.
    pub fn new(queue: impl Into<String>, kind: impl Into<String>, subject: Uuid) -> Self {
        Self {
            id: Uuid::now_v7(),
            queue: queue.into(),
            kind: kind.into(),
            subject,
            unique_key: None,
            payload: serde_json::Value::Null,
            priority: 0,
            delay: Duration::ZERO,
            max_attempts: DEFAULT_MAX_ATTEMPTS,
            epoch: 0,
            traceparent: None,
            requires: None,
        }
    }

    /// Returns the id that the job will have.
    #[must_use]
    pub const fn id(&self) -> Uuid {
        self.id
    }

    /// Allows only one live job with this key; a second one is not inserted. The key is free again as soon as the job
    /// is done, dead or discarded.
    ///
    /// A *running* job holds its key too, although it may have read the rows before the change that the new job is
    /// about. If that matters, include the cause of the job (e.g. the stage that ended) in the key.
    #[must_use]
    pub fn unique_key(mut self, key: impl Into<String>) -> Self {
        self.unique_key = Some(key.into());
        self
    }

    /// Sets the payload: ids and small scheduling facts that the handler needs. Content belongs in the domain's rows.
    ///
    /// # Errors
    ///
    /// [`Error::Payload`] if `payload` does not serialise to JSON.
    pub fn payload(mut self, payload: &impl Serialize) -> Result<Self, Error> {
        self.payload = serde_json::to_value(payload).map_err(Error::Payload)?;
        Ok(self)
    }

    /// Sets the priority, from 0 (the default) to 3. Higher goes first: each level is worth 10 minutes of waiting.
    /// Values outside the range are clamped.
    #[must_use]
    pub fn priority(mut self, priority: i16) -> Self {
        let [lowest, .., highest] = PRIORITIES;
        self.priority = priority.clamp(lowest, highest);
        self
    }

    /// Delays the job by at least this time from now, by the database's clock. Default: no delay.
    #[must_use]
    pub const fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Sets how often the job may fail before it is dead. Default [`DEFAULT_MAX_ATTEMPTS`].
    #[must_use]
    pub const fn max_attempts(mut self, attempts: i32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Makes all claims of this job get epochs above `epoch`, for a job that replaces a lost one. Default 0.
    #[must_use]
    pub const fn after_epoch(mut self, epoch: i64) -> Self {
        self.epoch = epoch;
        self
    }

    /// Restricts the job to workers that offer all of these names ([`WorkerBuilder::offers`]). The names mean nothing
    /// to the queue. Default: any worker may run it.
    ///
    /// [`WorkerBuilder::offers`]: crate::WorkerBuilder::offers
    #[must_use]
    pub fn requires(mut self, requires: Vec<String>) -> Self {
        self.requires = Some(requires);
        self
    }

    /// Sets the W3C trace context of the work that enqueued this job.
    #[must_use]
    pub fn traceparent(mut self, traceparent: Option<String>) -> Self {
        self.traceparent = traceparent;
        self
    }
}

/// Result of enqueuing one [`NewJob`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enqueued {
    /// The job is queued under this id once the transaction commits.
    Created(Uuid),
    /// A live job already holds the unique key; nothing was inserted.
    Duplicate,
}

/// Inserts `jobs` on the caller's connection, in one statement. Returns the results in the same order.
///
/// Inside a transaction, the jobs exist only once it commits. Does not wake workers: call
/// [`Waker::wake`](crate::Waker::wake) after the commit, outside the transaction (a NOTIFY inside it serialises all
/// commits).
///
/// # Errors
///
/// [`Error::Database`]. A duplicate key is not an error and does not abort the transaction.
pub async fn enqueue(conn: &mut PgConnection, jobs: &[NewJob]) -> Result<Vec<Enqueued>, Error> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let created = sqlx::query_scalar!(
        r#"
        insert into jobs (id, queue, kind, subject, unique_key, payload, priority,
                          state, run_at, rank, max_attempts, traceparent, epoch, requires)
        select n.id, n.queue, n.kind, n.subject, n.unique_key, n.payload, n.priority,
               case when n.delay > 0 then 'scheduled'::job_state else 'ready' end,
               t.now + make_interval(secs => n.delay),
               job_rank(n.priority, t.now + make_interval(secs => n.delay)),
               n.max_attempts, n.traceparent, n.epoch,
               case when n.requires is not null then array(select jsonb_array_elements_text(n.requires)) end
        from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::jsonb[],
                    $7::smallint[], $8::float8[], $9::integer[], $10::text[], $11::bigint[],
                    $12::jsonb[])
               as n(id, queue, kind, subject, unique_key, payload,
                    priority, delay, max_attempts, traceparent, epoch, requires),
             (select clock_timestamp() as now) t
        on conflict (unique_key) where unique_key is not null do nothing
        returning id
        "#,
        &column(jobs, |j| j.id),
        &column(jobs, |j| j.queue.clone()),
        &column(jobs, |j| j.kind.clone()),
        &column(jobs, |j| j.subject),
        &column(jobs, |j| j.unique_key.clone()) as &[Option<String>],
        &column(jobs, |j| j.payload.clone()),
        &column(jobs, |j| j.priority),
        &column(jobs, |j| j.delay.as_secs_f64()),
        &column(jobs, |j| j.max_attempts),
        &column(jobs, |j| j.traceparent.clone()) as &[Option<String>],
        &column(jobs, |j| j.epoch),
        &column(jobs, |j| j.requires.clone().map(serde_json::Value::from)) as &[Option<serde_json::Value>],
    )
    .fetch_all(conn)
    .await?;

    let created: std::collections::HashSet<Uuid> = created.into_iter().collect();
    let outcome = |job: &NewJob| match created.contains(&job.id) {
        true => Enqueued::Created(job.id),
        false => Enqueued::Duplicate,
    };
    Ok(jobs.iter().map(outcome).collect())
}

fn column<T>(jobs: &[NewJob], field: impl Fn(&NewJob) -> T) -> Vec<T> {
    jobs.iter().map(field).collect()
}
