//! SIGKILL of a stage worker in the middle of a stage.

use std::time::{Duration, Instant};

use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, scene};

/// A model that never answers the second question of a stage the first time it hears it.
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
async fn another_worker_goes_on_from_the_record_within_seconds() {
    // Leases last a minute: only the noticed death can explain a takeover within five seconds.
    let fleet = Fleet::new(hangs_once()).await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let workers = [fleet.stage_worker(), fleet.stage_worker()];
    fleet.workers(3).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    wait::until("the second question", SOON, async || fleet.llm.count() == 2).await;
    let holder = fleet.rows.holder(session, &[], SOON).await;
    let victim = workers.iter().find(|worker| worker.id() == holder).unwrap();

    victim.kill();
    let killed = Instant::now();
    fleet.rows.holder(session, &[holder], SOON).await;
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
async fn a_stage_that_kills_its_workers_is_failed_after_three_and_the_chain_goes_on() {
    let fleet = Fleet::new(scene::play).await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "PoisonedStage").await;

    // Every worker of the pool dies when the model has answered, before that is recorded.
    let poisonous = fleet
        .program("stage-worker")
        .env("TARSY_STAGE_POOLS", "poison")
        .env("TARSY_CRASH_AT", "record.finish_llm.before_commit");
    for victim in 1..=3 {
        let worker = poisonous.start().unwrap();
        let status = worker.ended(SOON).await;
        assert!(!status.success(), "worker {victim}: {status}");
    }
    let survivor = poisonous.start().unwrap();
    let ended = fleet.rows.ended(session, SOON).await;
    assert!(survivor.is_running(), "the fourth worker does not run it");

    assert_eq!(ended.status, "completed", "{ended:?}");
    assert_eq!(ended.outcome.as_deref(), Some("partial"));
    assert_eq!(ended.final_analysis.as_deref(), Some(scene::ANALYSIS));
    let stages = fleet.rows.stages(session).await;
    assert_eq!(stages[0].status, "failed", "{stages:?}");
    assert_eq!(stages[0].error_class.as_deref(), Some("crashed"));
    assert_eq!(stages[0].crash_count, 3);
    assert_eq!(stages[1].status, "completed");
    assert_eq!(
        fleet.llm.count(),
        3 + 1,
        "once for each worker it killed, once for the report"
    );
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
