//! A live worker loses its claim, because it is frozen past its lease or its lease is taken. Its late writes are
//! refused, its work stops, and nothing is done twice.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::process::Process;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, scene};
use uuid::Uuid;

/// A model that holds its second answer until the test releases it.
fn holds_the_second() -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync {
    let requests = AtomicUsize::new(0);
    move |request| match (
        requests.fetch_add(1, Ordering::SeqCst),
        scene::play(request),
    ) {
        (1, Behaviour::Answer(answer)) => Behaviour::Held(answer),
        (_, played) => played,
    }
}

/// Splits workers into the one that runs the session's stage, and the others.
async fn split(fleet: &Fleet, session: Uuid, mut workers: Vec<Process>) -> (Process, Vec<Process>) {
    let pid = fleet.rows.holder(session, SOON).await;
    let place = workers
        .iter()
        .position(|worker| worker.id() == pid)
        .unwrap();
    let holder = workers.swap_remove(place);
    (holder, workers)
}

async fn check(fleet: &Fleet, session: Uuid) {
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    assert_eq!(ended.final_analysis.as_deref(), Some(scene::ANALYSIS));
    fleet.assert_sound().await;
    // Only the model call whose answer the loser did not record is made twice.
    assert_eq!(fleet.llm.count(), scene::QUESTIONS + 1);
    assert_eq!(fleet.ledger.calls("restart_service"), 1);
}

/// Asserts that no interaction begun after the takeover has the loser's epoch, and that the winner wrote the stage's
/// end.
async fn check_epochs(fleet: &Fleet, session: Uuid, lost: i64) {
    let stages = fleet.rows.stages(session).await;
    let first = &stages[0];
    assert!(
        first.claim_epoch.unwrap() > lost,
        "{first:?}, lost epoch {lost}"
    );
    let query =
        "select claim_epoch from llm_interactions where stage_execution_id = $1 order by sequence";
    let epochs: Vec<i64> = sqlx::query_scalar(query)
        .bind(first.execution_id)
        .fetch_all(fleet.rows.pool())
        .await
        .unwrap();
    // The loser began the first two model calls. The second was open, so the winner claimed it before it repeated it.
    // The third came after the takeover.
    let won = first.claim_epoch.unwrap();
    assert_eq!(epochs, [lost, won, won]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_frozen_past_its_lease_is_taken_over_and_writes_nothing_when_it_wakes() {
    let lease = Duration::from_secs(2);
    let fleet = Fleet::new(holds_the_second())
        .await
        .with("TARSY_LEASE_TTL", "2s");
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let workers = vec![fleet.stage_worker(), fleet.stage_worker()];
    fleet.workers(3).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;

    let (frozen, _others) = split(&fleet, session, workers).await;
    wait::until("the second question", SOON, async || fleet.llm.count() == 2).await;
    let lost = fleet.rows.stages(session).await[0].claim_epoch.unwrap();
    frozen.freeze();
    fleet.llm.release();

    // The frozen worker keeps its connections, its lock and its answer. Only its lease ends.
    fleet
        .rows
        .taken_over(session, frozen.id(), lease + SOON)
        .await;
    frozen.resume();
    frozen
        .printed("this process was taken for dead or frozen", SOON)
        .await;
    check(&fleet, session).await;
    check_epochs(&fleet, session, lost).await;
    assert!(frozen.is_running(), "it goes on with other work");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_does_not_know_that_it_was_overtaken_finds_its_writes_refused() {
    // Renewals are a hundred seconds apart, so only the fence of its own write stops it.
    let fleet = Fleet::new(holds_the_second())
        .await
        .with("TARSY_LEASE_TTL", "600s")
        .with("TARSY_STAGE_CONCURRENCY", "1");
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let workers = vec![fleet.stage_worker(), fleet.stage_worker()];
    fleet.workers(3).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;

    let (overtaken, others) = split(&fleet, session, workers).await;
    wait::until("the second question", SOON, async || fleet.llm.count() == 2).await;
    let lost = fleet.rows.stages(session).await[0].claim_epoch.unwrap();
    // Expires its lease. It has no free slot to claim the job again.
    sqlx::query("update jobs set expires_at = clock_timestamp() where kind = 'stage'")
        .execute(fleet.rows.pool())
        .await
        .unwrap();
    let loser = overtaken.id();
    fleet.rows.taken_over(session, loser, SOON).await;
    fleet.llm.release();
    overtaken
        .printed("another worker holds this stage", SOON)
        .await;
    check(&fleet, session).await;
    check_epochs(&fleet, session, lost).await;
    drop(others);
}
