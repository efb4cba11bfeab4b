//! Workers under the control of a test, which receives each started job and decides its outcome.

use std::time::Duration;

use sqlx::{PgConnection, PgPool};
use tarsy_queue::{Connections, Enqueued, Job, NewJob, Outcome, Worker, WorkerBuilder, enqueue};
use tarsy_testing::{TestDb, wait};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Maximum wait for anything.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// A job that a worker has started.
pub(crate) struct Started {
    pub(crate) job: Job,
    reply: oneshot::Sender<Outcome>,
}

impl Started {
    pub(crate) fn end(self, outcome: Outcome) {
        // The handler may have been dropped meanwhile.
        let _ = self.reply.send(outcome);
    }

    pub(crate) fn subject(&self) -> Uuid {
        self.job.subject()
    }
}

/// A running worker of queue `q` whose handler passes each job to the test.
pub(crate) struct Rig {
    jobs: mpsc::UnboundedReceiver<Started>,
    pub(crate) stop: CancellationToken,
    run: JoinHandle<()>,
}

impl Rig {
    pub(crate) fn start(db: &TestDb) -> Self {
        Self::with(db, |builder| builder)
    }

    pub(crate) fn with(db: &TestDb, set: impl FnOnce(WorkerBuilder) -> WorkerBuilder) -> Self {
        Self::over_both(db.pool().clone(), db.url(), set)
    }

    /// Starts a worker whose direct connections go to `url`.
    pub(crate) fn through(
        db: &TestDb,
        url: &str,
        set: impl FnOnce(WorkerBuilder) -> WorkerBuilder,
    ) -> Self {
        Self::over_both(db.pool().clone(), url, set)
    }

    /// Starts a worker that settles jobs over connections of the test.
    pub(crate) fn over(
        db: &TestDb,
        connections: impl Into<Connections>,
        set: impl FnOnce(WorkerBuilder) -> WorkerBuilder,
    ) -> Self {
        Self::over_both(connections, db.url(), set)
    }

    fn over_both(
        connections: impl Into<Connections>,
        url: &str,
        set: impl FnOnce(WorkerBuilder) -> WorkerBuilder,
    ) -> Self {
        let (started, jobs) = mpsc::unbounded_channel();
        let handler = move |job: Job| {
            let started = started.clone();
            async move {
                let (reply, outcome) = oneshot::channel();
                let _ = started.send(Started { job, reply });
                outcome.await.unwrap_or(Outcome::Release)
            }
        };
        let builder = Worker::builder(connections, url).role("rig").queues(["q"]);
        let worker = set(builder.poll(Duration::from_millis(50)))
            .handler(handler)
            .unwrap();
        let stop = CancellationToken::new();
        let run = tokio::spawn({
            let stop = stop.clone();
            async move { worker.run(stop).await.unwrap() }
        });
        Self { jobs, stop, run }
    }

    /// Returns the next job that the worker starts.
    pub(crate) async fn next(&mut self) -> Started {
        self.within(LIMIT).await
    }

    /// Returns the next job, with another limit than [`LIMIT`].
    pub(crate) async fn within(&mut self, limit: Duration) -> Started {
        let next = tokio::time::timeout(limit, self.jobs.recv()).await;
        next.expect("a job starts in time")
            .expect("the worker runs")
    }

    /// Returns a job that was already started, if any.
    pub(crate) fn started(&mut self) -> Option<Started> {
        self.jobs.try_recv().ok()
    }

    /// Drains the worker and waits for its end.
    pub(crate) async fn stopped(self) {
        self.stop.cancel();
        tokio::time::timeout(LIMIT, self.run)
            .await
            .expect("ends in time")
            .unwrap();
    }
}

/// Creates a job of queue `q`.
pub(crate) fn job() -> NewJob {
    NewJob::new("q", "test", Uuid::now_v7())
}

/// Enqueues one job and returns its id.
pub(crate) async fn put(pool: &PgPool, job: NewJob) -> Uuid {
    match enqueue(&mut conn(pool).await, &[job]).await.unwrap()[..] {
        [Enqueued::Created(id)] => id,
        ref other => panic!("not created: {other:?}"),
    }
}

/// Returns a connection that does not go back to the pool.
pub(crate) async fn conn(pool: &PgPool) -> PgConnection {
    pool.acquire().await.unwrap().detach()
}

/// Values of a job's row.
#[derive(Debug, PartialEq, Eq, sqlx::FromRow)]
pub(crate) struct Row {
    pub(crate) state: String,
    pub(crate) attempts: i32,
    pub(crate) crashes: i32,
    pub(crate) snoozes: i32,
    pub(crate) epoch: i64,
    pub(crate) last_error: Option<String>,
}

/// Returns the job's row, if the job is alive.
pub(crate) async fn row(pool: &PgPool, id: Uuid) -> Option<Row> {
    sqlx::query_as(
        "select state::text, attempts, crashes, snoozes, epoch, last_error from jobs where id = $1",
    )
    .bind(id)
    .fetch_optional(pool)
    .await
    .unwrap()
}

/// Waits until the job's row is as wanted.
pub(crate) async fn until_row(pool: &PgPool, id: Uuid, wanted: impl Fn(&Row) -> bool) -> Row {
    wait::until("the job's row", LIMIT, async || {
        row(pool, id).await.filter(&wanted)
    })
    .await
}

/// Waits until the job's row is gone.
pub(crate) async fn until_deleted(pool: &PgPool, id: Uuid) {
    wait::until("the job's end", LIMIT, async || {
        row(pool, id).await.is_none()
    })
    .await;
}

/// Makes scheduled jobs due, so that no test waits for a backoff.
pub(crate) async fn make_due(pool: &PgPool) {
    sqlx::query("update jobs set run_at = clock_timestamp() where state = 'scheduled'")
        .execute(pool)
        .await
        .unwrap();
}

/// Runs one statement without parameters.
pub(crate) async fn sql(conn: &mut PgConnection, statement: &'static str) {
    sqlx::query(statement).execute(conn).await.unwrap();
}
