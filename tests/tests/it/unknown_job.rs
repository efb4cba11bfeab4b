//! Jobs of a kind that only a newer version knows wait for it and block nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, scene};
use uuid::Uuid;

/// Inserts a job of a kind that this version does not know.
async fn enqueue_unknown(fleet: &Fleet, queue: &str) {
    let id = Uuid::now_v7();
    let insert = "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts)
                  values ($1, $2, 'teleport', $1, '[\"what?\"]', 0, 'ready', now(), now(), 3)";
    sqlx::query(insert)
        .bind(id)
        .bind(queue)
        .execute(fleet.rows.pool())
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_an_unknown_kind_is_left_to_a_newer_version_and_its_worker_continues() {
    let fleet = Fleet::new(scene::play).await;
    for queue in ["chain", "stage:default"] {
        enqueue_unknown(&fleet, queue).await;
    }
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let left =
        "select count(*) from jobs where kind = 'teleport' and state = 'ready' and attempts = 0
                and requires = array['job:teleport']";
    wait::until("both jobs to be left", SOON, async || {
        fleet.rows.count(left).await == 2
    })
    .await;

    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(
        ended.final_analysis.as_deref(),
        Some(scene::ANALYSIS),
        "{ended:?}"
    );
    assert!(chain.is_running() && stage.is_running());
    assert_eq!(fleet.rows.count(left).await, 2, "they are not taken again");
}
