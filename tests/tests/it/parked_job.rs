//! Undecodable jobs are parked for operators and block nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, scene};
use uuid::Uuid;

/// Inserts a job of a kind that this version does not know.
async fn enqueue_unknown(fleet: &Fleet, queue: &str) -> Uuid {
    let id = Uuid::now_v7();
    let insert = "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts)
                  values ($1, $2, 'teleport', $1, '[\"what?\"]', 0, 'ready', now(), now(), 3)";
    sqlx::query(insert)
        .bind(id)
        .bind(queue)
        .execute(fleet.rows.pool())
        .await
        .unwrap();
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_an_unknown_kind_is_parked_and_its_worker_goes_on() {
    let fleet = Fleet::new(scene::play).await;
    let queues = ["chain", "stage:default"];
    let mut ids = Vec::new();
    for queue in queues {
        ids.push(enqueue_unknown(&fleet, queue).await);
    }
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    wait::until("both jobs to be parked", SOON, async || {
        fleet.rows.count("select count(*) from dead_jobs").await == 2
    })
    .await;
    let parked: Vec<(Uuid, String, String)> =
        sqlx::query_as("select id, reason::text, error from dead_jobs order by queue")
            .fetch_all(fleet.rows.pool())
            .await
            .unwrap();
    for (id, reason, error) in &parked {
        assert!(ids.contains(id));
        assert_eq!(reason, "undecodable");
        assert!(error.contains("teleport"), "{error}");
    }

    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(
        ended.final_analysis.as_deref(),
        Some(scene::ANALYSIS),
        "{ended:?}"
    );
    assert!(chain.is_running() && stage.is_running());
}
