//! SIGKILL of a stage worker in the middle of a stage.

use std::os::unix::process::ExitStatusExt as _;
use std::time::{Duration, Instant};

use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};
use tarsy_testing::process::Process;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, scene};
use uuid::Uuid;

/// A model that never answers the second call of a stage the first time.
fn hangs_once() -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync {
    let hung = std::sync::atomic::AtomicBool::new(false);
    move |request| {
        let is_second = request.assistant_turns() == 1;
        match is_second && !hung.swap(true, std::sync::atomic::Ordering::SeqCst) {
            true => Behaviour::Hang,
            false => scene::play(request),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_worker_continues_from_the_record_within_seconds() {
    // Leases last a minute, so only a noticed death explains a takeover within five seconds.
    let fleet = Fleet::new(hangs_once()).await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let workers = [fleet.stage_worker(), fleet.stage_worker()];
    fleet.workers(3).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    wait::until("the second question", SOON, async || fleet.llm.count() == 2).await;
    let holder = fleet.rows.holder(session, SOON).await;
    let victim = workers.iter().find(|worker| worker.id() == holder).unwrap();

    victim.kill();
    let killed = Instant::now();
    fleet.rows.taken_over(session, holder, SOON).await;
    let took = killed.elapsed();
    assert!(took < Duration::from_secs(5), "taken over after {took:?}");

    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(
        ended.final_analysis.as_deref(),
        Some(scene::ANALYSIS),
        "{ended:?}"
    );
    fleet.assert_sound().await;
    assert_eq!(
        fleet.llm.count(),
        scene::QUESTIONS + 1,
        "only the lost question is asked again"
    );
    assert_eq!(
        (
            fleet.ledger.calls("read_status"),
            fleet.ledger.calls("restart_service")
        ),
        (2, 1)
    );
    let stages = fleet.rows.stages(session).await;
    assert_eq!(
        stages
            .iter()
            .map(|stage| stage.crash_count)
            .collect::<Vec<_>>(),
        [1, 0, 0]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_kills_its_workers_is_failed_after_four_and_the_chain_continues() {
    let fleet = Fleet::new(scene::play).await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "PoisonedStage").await;

    // Every worker of the pool dies after it gets the model's answer, before it records the answer.
    let poisonous = fleet
        .program("stage-worker")
        .env("TARSY_STAGE_POOLS", "poison")
        .env("TARSY_CRASH_AT", "record.finish_llm.before_commit");
    for victim in 1..=4 {
        let worker = poisonous.start().unwrap();
        let status = worker.ended(SOON).await;
        assert!(!status.success(), "worker {victim}: {status}");
    }
    let survivor = poisonous.start().unwrap();
    let ended = fleet.rows.ended(session, SOON).await;
    assert!(survivor.is_running(), "the fifth worker does not run it");

    assert_eq!(ended.status, "completed", "{ended:?}");
    assert_eq!(ended.outcome.as_deref(), Some("partial"));
    assert_eq!(ended.final_analysis.as_deref(), Some(scene::ANALYSIS));
    let stages = fleet.rows.stages(session).await;
    assert_eq!(stages[0].status, "failed", "{stages:?}");
    assert_eq!(stages[0].error_class.as_deref(), Some("crashed"));
    assert_eq!(stages[0].crash_count, 4);
    assert_eq!(stages[1].status, "completed");
    assert_eq!(
        fleet.llm.count(),
        4 + 1,
        "once for each worker it killed, once for the report"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_chain_worker_and_a_stage_worker_killed_together_hold_nothing_up() {
    let fleet = Fleet::new(hangs_once()).await;
    let (ingest, chain) = (fleet.ingest().await, fleet.chain_worker());
    let workers = [fleet.stage_worker(), fleet.stage_worker()];
    fleet.workers(3).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    wait::until("the second question", SOON, async || fleet.llm.count() == 2).await;
    let holder = fleet.rows.holder(session, SOON).await;
    let victim = workers.iter().find(|worker| worker.id() == holder).unwrap();

    chain.kill();
    victim.kill();
    let killed = Instant::now();
    fleet.rows.taken_over(session, holder, SOON).await;
    // Leases last a minute, so another worker's sweep found the death.
    let took = killed.elapsed();
    assert!(took < Duration::from_secs(10), "taken over after {took:?}");
    eprintln!("taken over after {took:?}");
    let _chain = fleet.chain_worker();
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    fleet.assert_sound().await;
}

/// Number of kills, workers and sessions. Some stages meet three or four kills before they record anything. The wait
/// between two of their runs shows that other workers die too.
const KILLS: usize = 12;
const WORKERS: usize = 4;
const SESSIONS: usize = 24;
/// Number of model calls between two kills, about those of one second.
const QUESTIONS: usize = 12;

#[tokio::test(flavor = "multi_thread")]
async fn random_deaths_of_workers_fail_no_stage_that_ran_there() {
    let fleet = Fleet::new(|request| match scene::play(request) {
        Behaviour::Answer(answer) => Behaviour::Answer(FakeAnswer {
            delay_ms: 1_000,
            ..answer
        }),
        other => other,
    })
    .await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let mut workers: Vec<Process> = (0..WORKERS).map(|_| fleet.stage_worker()).collect();
    fleet.workers(1 + i64::try_from(WORKERS).unwrap()).await;
    for _ in 0..SESSIONS {
        fleet.submit(&ingest, "CheckoutDown").await;
    }
    let begun = Instant::now();
    for kill in 0..KILLS {
        let place = usize::from(Uuid::new_v4().as_bytes()[0]) % WORKERS;
        let asked = fleet.llm.count();
        wait::until("some questions", SOON * 2, async || {
            fleet.llm.count() >= asked + QUESTIONS || fleet.rows.jobs().await.is_empty()
        })
        .await;
        let victim = std::mem::replace(&mut workers[place], fleet.stage_worker());
        eprintln!("kill {kill} after {:?}", begun.elapsed());
        victim.kill();
    }
    fleet.rows.all_ended(SOON * 5).await;
    eprintln!("ended after {:?}", begun.elapsed());
    let failed = "select count(*) from stage_executions where error_class = 'crashed'";
    assert_eq!(fleet.rows.count(failed).await, 0);
    let failed = "select count(*) from alert_sessions where status <> 'completed'";
    assert_eq!(fleet.rows.count(failed).await, 0);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_does_not_renew_the_deadline_of_a_stage() {
    let fleet = Fleet::new(|_: &SeenRequest| Behaviour::Hang).await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let victim = fleet.stage_worker();
    let session = fleet.submit(&ingest, "Hurried").await;
    wait::until("the question", SOON, async || fleet.llm.count() == 1).await;
    let deadline = async || -> String {
        sqlx::query_scalar("select deadline_at::text from stage_executions where session_id = $1")
            .bind(session)
            .fetch_one(fleet.rows.pool())
            .await
            .unwrap()
    };
    let set = deadline().await;
    victim.kill();
    let _next = fleet.stage_worker();
    let ended = fleet.rows.ended(session, SOON).await;

    assert_eq!(ended.status, "failed", "{ended:?}");
    let stages = fleet.rows.stages(session).await;
    assert_eq!(stages[0].error_class.as_deref(), Some("deadline"));
    assert_eq!(stages[0].crash_count, 1);
    assert_eq!(deadline().await, set);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_had_concluded_when_its_worker_died_ends_so_after_its_deadline_too() {
    let fleet = Fleet::new(scene::play).await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let armed = fleet
        .program("stage-worker")
        .env("TARSY_CRASH_AT", "stage.finish.before_commit");
    let armed = armed.start().unwrap();
    let session = fleet.submit(&ingest, "ReportOnly").await;
    let status = armed.ended(SOON).await;
    assert_eq!(status.signal(), Some(9), "{status}");
    let asked = fleet.llm.count();
    let late = "update stage_executions set deadline_at = now() - interval '1 minute' where session_id = $1";
    let late = sqlx::query(late).bind(session);
    late.execute(fleet.rows.pool()).await.unwrap();
    let _next = fleet.stage_worker();
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    assert_eq!(fleet.llm.count(), asked, "nothing is asked again");
    fleet.assert_sound().await;
}
