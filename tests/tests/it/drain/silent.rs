//! SIGTERM while Postgres is silent.

use std::time::{Duration, Instant};

use tarsy_testing::{SilentProxy, wait};
use tarsy_tests::{Fleet, SOON, scene};

/// Drain timeout. Here, there is no work to wait for.
const GRACE: Duration = Duration::from_secs(120);
/// Sum of a statement's timeout, the time for stopping jobs, and the time for abandoning them, on a busy machine.
const BOUND: Duration = Duration::from_secs(40);

#[tokio::test(flavor = "multi_thread")]
async fn a_drain_does_not_wait_for_a_postgres_that_fell_silent() {
    let fleet = Fleet::new(scene::play)
        .await
        .with("TARSY_DRAIN_GRACE", format!("{}s", GRACE.as_secs()));
    let proxy = SilentProxy::before(fleet.database_url()).await;
    let ingest = fleet.ingest().await;
    let session = fleet.submit(&ingest, "ReportOnly").await;
    let mut lock = fleet.rows.pool().begin().await.unwrap();
    sqlx::query("select from alert_sessions where session_id = $1 for update")
        .bind(session)
        .execute(&mut *lock)
        .await
        .unwrap();
    let worker = fleet.program("chain-worker");
    let worker = worker.env("DATABASE_URL", proxy.url()).start().unwrap();
    wait::until("a statement that waits for the session", SOON, async || {
        let waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'
                       and datname = current_database() and application_name like 'chain-worker%'";
        fleet.rows.count(waiting).await > 0
    })
    .await;

    proxy.silence_for_ever().await;
    let terminated_at = Instant::now();
    worker.terminate();
    let status = worker.ended(GRACE + SOON).await;
    assert!(status.success(), "{status}");
    assert!(!worker.log().contains("panicked"), "{}", worker.log());
    let took = terminated_at.elapsed();
    assert!(took < BOUND, "it took {took:?}");
}
