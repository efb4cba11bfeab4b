//! Tests that a worker continues with its chain, unless other work must come first.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tarsy_model::{ClaimRef, ExecutionId, Pool, SessionId};
use tarsy_queue::{NewJob, StopSignal};
use tarsy_stage_worker::{StageEnd, StageRunner};
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::{BeginStage, BegunStage};
use tarsy_testing::{TestDb, wait};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::hand_on::{service, session, stage};

const SOON: Duration = Duration::from_secs(60);
/// Priority of a `warning`, which all sessions have.
const SAME: i16 = 1;
/// Priority of a `critical` session.
const MORE: i16 = 3;

/// Records the stages that it runs. Each stage ends when the gate lets it pass.
#[derive(Clone)]
struct Gated {
    ran: Arc<Mutex<Vec<(BegunStage, ClaimRef)>>>,
    gate: Arc<Semaphore>,
}

impl Gated {
    fn new() -> Self {
        Self {
            ran: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
        }
    }
}

#[async_trait]
impl StageRunner for Gated {
    async fn run(&self, stage: &BegunStage, fence: StageFence, _: &StopSignal) -> StageEnd {
        let run = (stage.clone(), fence.claim);
        self.ran.lock().expect("no panic").push(run);
        self.gate.acquire().await.expect("a gate").forget();
        StageEnd::Completed {
            output: json!({"result": "the disk is full", "b": 1, "aa": 2}),
        }
    }
}

/// A worker with one slot, which runs the first stage of a session.
struct Scene {
    db: TestDb,
    runner: Gated,
    first: SessionId,
    stop: CancellationToken,
    running: JoinHandle<Result<(), tarsy_queue::Error>>,
}

impl Scene {
    async fn start() -> Self {
        let (db, runner, stop) = (TestDb::new().await, Gated::new(), CancellationToken::new());
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

    /// Waits until this number of stages have run. Returns for each whether it is of the first session, and its name.
    async fn until_ran(&self, stages: usize) -> Vec<(bool, String)> {
        wait::until("stages that run", SOON, async || {
            let ran = self.runner.ran.lock().expect("no panic");
            let of_first = |(stage, _): &(BegunStage, ClaimRef)| {
                let data = &stage.data;
                (data.session_id == self.first, data.current_stage.clone())
            };
            (ran.len() >= stages).then(|| ran.iter().map(of_first).collect())
        })
        .await
    }

    async fn end(self) {
        self.stop.cancel();
        self.running.await.expect("no panic").expect("a calm end");
    }
}

/// Creates a session whose first stage is due. `collect` and `analyse` are for the worker's pool.
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
    scene.runner.gate.add_permits(9);
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
async fn the_next_stage_has_begun_with_all_that_its_row_shows() {
    let scene = Scene::start().await;
    scene.runner.gate.add_permits(1);
    scene.until_ran(2).await;
    let (mut handed, claim) = scene.runner.ran.lock().expect("no panic")[1].clone();
    assert_eq!(handed.data.stage_outputs.len(), 1);
    let again = BeginStage {
        execution_id: handed.execution_id,
        claim,
        crashes: 0,
    };
    let mut conn = scene.db.pool().acquire().await.expect("a connection");
    let read = tarsy_store::stages::begin_stages(&mut conn, &[again]).await;
    let mut read = read.expect("a read").pop().expect("its claim is held");
    let left = read.remaining_ms;
    assert!((0..handed.remaining_ms).contains(&left), "{left}");
    read.remaining_ms = handed.remaining_ms;
    // The database returns the members of an output in its own order. Agents read the output as text.
    for stage in [&mut read, &mut handed] {
        let outputs = stage.data.stage_outputs.iter_mut();
        outputs.for_each(|before| before.output.as_mut().expect("one").sort_all_objects());
    }
    assert_eq!(format!("{handed:#?}"), format!("{read:#?}"));
    scene.runner.gate.add_permits(9);
    scene.end().await;
}

#[tokio::test]
async fn something_more_severe_comes_first() {
    let scene = Scene::start().await;
    queue(&scene.db, MORE).await;
    scene.runner.gate.add_permits(9);
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
    scene.runner.gate.add_permits(9);
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
