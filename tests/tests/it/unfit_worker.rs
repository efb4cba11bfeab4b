//! A stage worker that lacks the resources for a stage leaves the stage to other workers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::process::ExitStatusExt as _;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::StatusCode;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::process::Process;
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, Ingest, SOON, ops, scene};
use uuid::Uuid;

/// Soft limit of open files with which a worker runs undisturbed.
const PLENTY: u64 = 1_024;

/// A model that never answers its first call.
fn hangs_first() -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync {
    let hung = AtomicBool::new(false);
    move |request| match hung.swap(true, Ordering::SeqCst) {
        false => Behaviour::Hang,
        true => scene::play(request),
    }
}

/// A fleet with a healthy worker whose only slot is taken, so that an unfit worker gets the next stage.
struct Busy {
    fleet: Fleet,
    ingest: Ingest,
    _chain: Process,
    _healthy: Process,
    session: Uuid,
}

impl Busy {
    async fn new() -> Self {
        let fleet = Fleet::new(hangs_first())
            .await
            .with("TARSY_STAGE_CONCURRENCY", "1");
        let (ingest, chain) = (fleet.ingest().await, fleet.chain_worker());
        fleet.rows.watch_counts().await;
        let healthy = fleet.stage_worker();
        let session = fleet.submit(&ingest, "ReportOnly").await;
        wait::until("the slot to be taken", SOON, async || {
            fleet.llm.count() == 1
        })
        .await;
        Self {
            fleet,
            ingest,
            _chain: chain,
            _healthy: healthy,
            session,
        }
    }

    async fn free_the_slot(&self) {
        let cancel = format!("cancel {} --reason test", self.session);
        let url = [("TARSY_URL", self.ingest.url.as_str())];
        tarsy(&cancel, &url).await.prints("cancelled");
    }

    async fn until_handed_over(&self) {
        wait::until("a stage to be handed over", SOON, async || {
            let handed = "select count(*) from jobs where tried_by is not null and state = 'ready'";
            self.fleet.rows.count(handed).await == 1
        })
        .await;
    }

    /// Asserts that a session ended as it would have without an unfit worker.
    async fn assert_undisturbed(&self, session: Uuid) {
        let ended = self.fleet.rows.ended(session, SOON).await;
        assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
        assert_eq!(ended.final_analysis.as_deref(), Some(scene::ANALYSIS));
        let count = self.fleet.llm.count();
        assert_eq!(count, 1 + scene::QUESTIONS, "each question once");
        self.fleet.assert_sound().await;
    }
}

/// Runs a session whose first stage goes to an unfit worker first.
async fn hands_over(variable: &str, value: &str) {
    let busy = Busy::new().await;
    let unfit = busy.fleet.program("stage-worker").env(variable, value);
    let unfit = unfit.start().unwrap();
    busy.fleet.workers(3).await;
    let session = busy.fleet.submit(&busy.ingest, "CheckoutDown").await;
    busy.until_handed_over().await;
    busy.free_the_slot().await;
    busy.assert_undisturbed(session).await;
    assert!(unfit.is_running());
    assert_eq!(busy.fleet.rows.counted().await, [], "that is no failure");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_reaches_no_model_leaves_its_stages_to_others() {
    hands_over("TARSY_TEST_LLM_URL", "http://127.0.0.1:9/v1/").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_without_the_program_of_an_mcp_server_leaves_its_stages_to_others() {
    hands_over("PATH", "/nowhere").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_dies_while_it_hands_a_stage_over_loses_nothing() {
    for when in ["before", "after"] {
        let busy = Busy::new().await;
        let point = format!("stage.hand_over.{when}_commit");
        let unfit = busy.fleet.program("stage-worker");
        let unfit = unfit
            .env("TARSY_TEST_LLM_URL", "http://127.0.0.1:9/v1/")
            .env("TARSY_CRASH_AT", &point);
        let unfit = unfit.start().unwrap();
        busy.fleet.workers(3).await;
        let session = busy.fleet.submit(&busy.ingest, "CheckoutDown").await;
        let status = unfit.ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");
        busy.free_the_slot().await;
        busy.assert_undisturbed(session).await;
    }
}

/// Waits until a worker's row reports the missing files as its trouble, or no longer does.
async fn until_in_trouble(fleet: &Fleet, is_in_trouble: bool) {
    wait::until("the worker's row", SOON, async || {
        let troubled = "select count(*) from workers where trouble like '%open no more files%'";
        (fleet.rows.count(troubled).await == 1) == is_in_trouble
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_may_open_no_more_files_fails_nothing_and_claims_nothing() {
    let busy = Busy::new().await;
    // A trouble is recorded with the next heartbeat, after a third of the lease.
    let unfit = busy
        .fleet
        .program("stage-worker")
        .env("TARSY_LEASE_TTL", "6s");
    let unfit = unfit.start().unwrap();
    busy.fleet.workers(3).await;
    let port = ops::url(&unfit).await;
    assert_eq!(ops::readiness(&port).await.0, StatusCode::OK);
    unfit.limit_files(unfit.open_files());

    let session = busy.fleet.submit(&busy.ingest, "CheckoutDown").await;
    until_in_trouble(&busy.fleet, true).await;
    unfit.limit_files(PLENTY);
    let (status, body) = ops::readiness(&port).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{body}");
    let message = body["message"].as_str().unwrap_or_default();
    assert!(message.contains("RLIMIT_NOFILE"), "{body}");
    let scrape = ops::get(&port, "/metrics").await.unwrap().1;
    for line in [
        r#"tarsy_worker_in_trouble{role="stage-worker"} 1"#,
        r#"tarsy_worker_shortages_total{resource="process_files"}"#,
    ] {
        assert!(scrape.contains(line), "{line} in\n{scrape}");
    }
    busy.free_the_slot().await;
    busy.assert_undisturbed(session).await;
    let counted = busy.fleet.rows.counted().await;
    assert_eq!(counted, [], "that is no failure");

    until_in_trouble(&busy.fleet, false).await;
    assert_eq!(ops::readiness(&port).await.0, StatusCode::OK);
}
