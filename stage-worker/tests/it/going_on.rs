//! A worker goes on with the chain it is in, unless somebody else has to come first.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tarsy_model::{ExecutionId, Pool, SessionId};
use tarsy_queue::{NewJob, StopSignal};
use tarsy_stage_worker::{StageEnd, StageRunner};
use tarsy_store::{BegunStage, StageHold, StageUsage};
use tarsy_testing::{TestDb, wait};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::hand_on::{service, session, stage};

const SOON: Duration = Duration::from_secs(60);
/// Priority of a `warning`, which the sessions are.
const SAME: i16 = 1;
/// Of a `critical` one.
const MORE: i16 = 3;

/// Notes what it runs; nothing ends before the gate is open.
#[derive(Clone, Default)]
struct Gated {
    ran: Arc<Mutex<Vec<(SessionId, String)>>>,
    gate: CancellationToken,
}

#[async_trait]
impl StageRunner for Gated {
    async fn run(&self, stage: &BegunStage, _: StageHold, _: &StopSignal) -> StageEnd {
        let data = &stage.data;
        let run = (data.session_id, data.current_stage.clone());
        self.ran.lock().expect("no panic").push(run);
        self.gate.cancelled().await;
        StageEnd::Completed {
            output: json!({}),
            usage: StageUsage::default(),
        }
    }
}

/// A worker with one slot, which holds the first stage of a session.
struct Scene {
    db: TestDb,
    runner: Gated,
    first: SessionId,
    stop: CancellationToken,
    running: JoinHandle<Result<(), tarsy_queue::Error>>,
}

impl Scene {
    async fn start() -> Self {
        let (db, runner, stop) = (
            TestDb::new().await,
            Gated::default(),
            CancellationToken::new(),
        );
        let service = service(&db, &["default"], 1, Arc::new(runner.clone()));
        let running = tokio::spawn(service.run(stop.clone(), CancellationToken::new()));
        let first = queue(&db, SAME).await;
        let scene = Self {
            db,
            runner,
            first,
            stop,
            running,
        };
        scene.until_ran(1).await;
        scene
    }

    /// Wait until so many stages have run; which, as (is it the first session, the stage).
    async fn until_ran(&self, stages: usize) -> Vec<(bool, String)> {
        wait::until("stages that run", SOON, async || {
            let ran = self.runner.ran.lock().expect("no panic");
            let of_first =
                |(session, name): &(SessionId, String)| (*session == self.first, name.clone());
            (ran.len() >= stages).then(|| ran.iter().map(of_first).collect())
        })
        .await
    }

    async fn end(self) {
        self.stop.cancel();
        self.running.await.expect("no panic").expect("a calm end");
    }
}

/// A session whose first stage is due; `collect` and `analyse` are for the worker's pool.
async fn queue(db: &TestDb, priority: i16) -> SessionId {
    let id = SessionId::generate();
    let first = stage(id, 0, (1, 0));
    session(db, std::slice::from_ref(&first)).await;
    let mut conn = db.pool().acquire().await.expect("a connection");
    let job = NewJob::new(
        Pool::default().queue(),
        "stage",
        first.execution_id.as_uuid(),
    );
    tarsy_queue::enqueue(&mut conn, &[job.priority(priority)])
        .await
        .expect("a job");
    id
}

fn order(names: [(bool, &str); 4]) -> Vec<(bool, String)> {
    names.map(|(first, name)| (first, name.to_owned())).into()
}

#[tokio::test]
async fn the_next_stage_runs_before_what_waits_as_long() {
    let scene = Scene::start().await;
    queue(&scene.db, SAME).await;
    scene.runner.gate.cancel();
    let ran = scene.until_ran(4).await;
    let chain_by_chain = [
        (true, "collect"),
        (true, "analyse"),
        (false, "collect"),
        (false, "analyse"),
    ];
    assert_eq!(ran, order(chain_by_chain));
    scene.end().await;
}

#[tokio::test]
async fn something_more_severe_comes_first() {
    let scene = Scene::start().await;
    queue(&scene.db, MORE).await;
    scene.runner.gate.cancel();
    let ran = scene.until_ran(2).await;
    assert_eq!(ran[1], (false, "collect".to_owned()));
    scene.until_ran(4).await;
    scene.end().await;
}

#[tokio::test]
async fn a_paused_pool_runs_no_next_stage_until_it_is_resumed() {
    let scene = Scene::start().await;
    let pool = Pool::default().queue();
    let mut conn = scene.db.pool().acquire().await.expect("a connection");
    tarsy_queue::pause(&mut conn, &pool, "ops", "a deploy")
        .await
        .expect("paused");
    scene.runner.gate.cancel();
    let next: ExecutionId = wait::until("the next job", SOON, async || {
        sqlx::query_scalar("select subject from jobs where state = 'ready'")
            .fetch_optional(scene.db.pool())
            .await
            .expect("jobs")
    })
    .await;
    let begun: bool = sqlx::query_scalar(
        "select started_at_us is not null from stage_executions where execution_id = $1",
    )
    .bind(next)
    .fetch_one(scene.db.pool())
    .await
    .expect("the next stage");
    assert!(!begun);
    assert!(
        tarsy_queue::resume(&mut conn, &pool)
            .await
            .expect("resumed")
    );
    let ran = scene.until_ran(2).await;
    assert_eq!(ran[1], (true, "analyse".to_owned()));
    scene.end().await;
}
