//! Tests that data which a newer version has written is left to its workers.

use std::time::Duration;

use tarsy_chain_worker::CHAIN_JOB;
use tarsy_model::{
    SessionId, chain_queue, chain_worker_offers, job_requirement, status_requirement,
};
use tarsy_queue::{Job, NewJob, Outcome, Worker};
use tarsy_testing::{TestDb, wait};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::schedule::due;
use crate::silent::service;

const SOON: Duration = Duration::from_secs(30);

/// Chain workers of this version, and a fake of a newer version next to them once it was started.
struct Versions<'a> {
    db: &'a TestDb,
    stop: CancellationToken,
    running: Vec<JoinHandle<()>>,
}

impl<'a> Versions<'a> {
    fn start(db: &'a TestDb) -> Self {
        let stop = CancellationToken::new();
        let service = service(db, db.url()).run(stop.clone(), CancellationToken::new());
        let running = vec![tokio::spawn(async { service.await.unwrap() })];
        Self { db, stop, running }
    }

    /// Starts the newer worker, which also offers `more`. Returns the subject of its first job.
    async fn newer_gets(&mut self, more: String) -> Uuid {
        let offers = chain_worker_offers().into_iter().chain([more]).collect();
        let (seen, mut jobs) = mpsc::unbounded_channel();
        let handler = move |job: Job| {
            let _ = seen.send(job.subject());
            async { Outcome::Done }
        };
        let worker = Worker::builder(self.db.pool().clone(), self.db.url())
            .queues([chain_queue()])
            .offers(Some(offers))
            .handler(handler)
            .unwrap();
        let stop = self.stop.clone();
        self.running
            .push(tokio::spawn(async { worker.run(stop).await.unwrap() }));
        let subject = tokio::time::timeout(SOON, jobs.recv()).await;
        subject.expect("the newer worker gets the job").unwrap()
    }

    async fn stopped(self) {
        self.stop.cancel();
        for run in self.running {
            run.await.unwrap();
        }
    }
}

async fn put(db: &TestDb, kind: &str, subject: Uuid) {
    let mut conn = db.pool().acquire().await.unwrap();
    let job = NewJob::new(chain_queue(), kind, subject);
    tarsy_queue::enqueue(&mut conn, &[job]).await.unwrap();
}

/// Waits until this version has released the job about `subject`, for workers that offer `requirement`.
async fn until_left(db: &TestDb, subject: Uuid, requirement: &str) {
    wait::until("the job to be left", SOON, async || {
        let left = "select state = 'ready' and requires = array[$2] and attempts = 0 from jobs where subject = $1";
        let left: Option<Option<bool>> = sqlx::query_scalar(left)
            .bind(subject)
            .bind(requirement)
            .fetch_optional(db.pool())
            .await
            .unwrap();
        left.flatten() == Some(true)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_of_an_unknown_kind_goes_to_a_newer_worker() {
    let db = TestDb::new().await;
    let mut versions = Versions::start(&db);
    let subject = Uuid::now_v7();
    put(&db, "escalation", subject).await;
    let requirement = job_requirement("escalation");
    until_left(&db, subject, &requirement).await;
    assert_eq!(versions.newer_gets(requirement).await, subject);
    versions.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_with_an_unknown_status_goes_to_a_newer_worker_and_does_not_fail() {
    let db = TestDb::new().await;
    let stage = due(&db, "default", None).await.as_uuid();
    for newer in [
        "alter type stage_status add value 'paused'",
        "alter table stage_executions drop constraint stage_executions_end",
        "update stage_executions set status = 'paused'",
        "delete from jobs",
    ] {
        sqlx::query(newer).execute(db.pool()).await.unwrap();
    }
    let session = "select session_id from stage_executions where execution_id = $1";
    let session: SessionId = sqlx::query_scalar(session)
        .bind(stage)
        .fetch_one(db.pool())
        .await
        .unwrap();
    let mut versions = Versions::start(&db);
    put(&db, CHAIN_JOB, session.as_uuid()).await;
    let requirement = status_requirement("paused");
    until_left(&db, session.as_uuid(), &requirement).await;
    let ended = "select count(*) from alert_sessions where completed_at_us is not null";
    let ended: i64 = sqlx::query_scalar(ended)
        .fetch_one(db.pool())
        .await
        .unwrap();
    assert_eq!(ended, 0, "the session goes on");
    assert_eq!(versions.newer_gets(requirement).await, session.as_uuid());
    versions.stopped().await;
}
