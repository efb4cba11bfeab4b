//! Tests a silent Postgres: connections stay open but never answer again, while new ones work.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tarsy_config::{Environment, Settings};
use tarsy_model::{Pool, SessionId};
use tarsy_queue::{Connections, NewJob, StopSignal, Waker};
use tarsy_stage_worker::{StageEnd, StageRunner};
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::BegunStage;
use tarsy_testing::{SilentProxy, TestDb, wait};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::hand_on::{service, session, stage};

const SOON: Duration = Duration::from_secs(30);
const STAGES: usize = 5;

/// Runs stages that end when the gate lets them pass.
struct Gated {
    started: Arc<Semaphore>,
    gate: Arc<Semaphore>,
}

#[async_trait]
impl StageRunner for Gated {
    async fn run(&self, _: &BegunStage, _: StageFence, _: &StopSignal) -> StageEnd {
        self.started.add_permits(1);
        self.gate.acquire().await.expect("a gate").forget();
        StageEnd::Completed {
            output: json!({"result": "the disk is full"}),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_stages_go_on_over_new_connections() {
    let db = TestDb::new().await;
    let proxy = SilentProxy::before(db.url()).await;
    let [started, gate] = [(); 2].map(|()| Arc::new(Semaphore::new(0)));
    let runner = Gated {
        started: Arc::clone(&started),
        gate: Arc::clone(&gate),
    };
    let settings = Settings::read(&Environment::from_pairs([(
        "DATABASE_URL",
        proxy.url().as_str(),
    )]));
    let pool = tarsy_boot::connect(&settings.expect("defaults").database, "test").expect("a pool");
    let connections = Connections::shared(pool);
    let mut service = service(&db, &["default"], STAGES, Arc::new(runner));
    service.waker = Waker::new(connections.clone());
    service.connections = connections;
    let stop = CancellationToken::new();
    let running = tokio::spawn(service.run(stop.clone(), CancellationToken::new()));
    for _ in 0..STAGES {
        queue(&db).await;
    }
    let all = u32::try_from(STAGES).expect("few");
    started
        .acquire_many(all)
        .await
        .expect("stages run")
        .forget();

    // The connection falls silent while a statement runs on it.
    let mut lock = db.pool().begin().await.expect("a transaction");
    sqlx::query("select 1 from stage_executions for update")
        .execute(&mut *lock)
        .await
        .expect("a lock");
    gate.add_permits(100);
    wait::until("an end that waits", SOON, async || {
        // Only locks of this database count, because other tests use the same server.
        let waiting = "select count(*) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'";
        let waiting: i64 = sqlx::query_scalar(waiting)
            .fetch_one(db.pool())
            .await
            .expect("locks");
        waiting > 0
    })
    .await;
    proxy.silence().await;
    lock.rollback().await.expect("no lock");
    wait::until("ends of both stages of each session", SOON, async || {
        let ended: i64 = sqlx::query_scalar(
            "select count(*) from stage_executions where status = 'completed' and stage_index = 1",
        )
        .fetch_one(db.pool())
        .await
        .expect("stages");
        ended == i64::from(all)
    })
    .await;
    let taken: i64 = sqlx::query_scalar("select coalesce(sum(crashes), 0)::bigint from jobs")
        .fetch_one(db.pool())
        .await
        .expect("jobs");
    assert_eq!(taken, 0, "its jobs stayed its own");
    stop.cancel();
    running.await.expect("no panic").expect("a calm end");
}

async fn queue(db: &TestDb) {
    let first = stage(SessionId::generate(), 0, (1, 0));
    session(db, std::slice::from_ref(&first)).await;
    let mut conn = db.pool().acquire().await.expect("a connection");
    let job = NewJob::new(
        Pool::default().queue(),
        "stage",
        first.execution_id.as_uuid(),
    );
    tarsy_queue::enqueue(&mut conn, &[job])
        .await
        .expect("a job");
}
