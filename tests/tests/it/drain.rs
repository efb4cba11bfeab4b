//! SIGTERM under load: a deploy loses nothing.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod rollout;
mod silent;

use std::time::{Duration, Instant};

use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Alert, Fleet, SOON, scene};

/// Number of alerts in progress at the SIGTERM.
const ALERTS: usize = 24;

/// Less than a lease of a minute, so a job that waits for the end of a lease would exceed it.
const AT_ONCE: Duration = Duration::from_secs(20);

/// A slightly slow model, so that there is always work in progress.
fn thoughtful(request: &SeenRequest) -> Behaviour {
    match scene::play(request) {
        Behaviour::Answer(answer) => Behaviour::Answer(FakeAnswer {
            delay_ms: 150,
            ..answer
        }),
        other => other,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_terminated_under_load_count_nothing_and_keep_no_job_waiting() {
    let fleet = Fleet::new(thoughtful).await;
    fleet.rows.watch_counts().await;
    let ingest = fleet.ingest().await;
    let (chains, stages) = (
        [fleet.chain_worker(), fleet.chain_worker()],
        [fleet.stage_worker(), fleet.stage_worker()],
    );
    fleet.workers(4).await;
    let alerts: Vec<_> = (0..ALERTS).map(|_| Alert::new("CheckoutDown")).collect();
    futures::future::join_all(alerts.iter().map(|alert| fleet.post(&ingest, alert))).await;
    wait::until("work in the middle", SOON, async || fleet.llm.count() > 20).await;

    // The first process of each kind drains; the second stays.
    for process in [&chains[0], &stages[0]] {
        process.terminate();
    }
    for process in [&chains[0], &stages[0]] {
        let status = process.ended(SOON).await;
        assert!(status.success(), "{status}");
    }
    fleet.rows.all_ended(AT_ONCE + SOON).await;

    assert_eq!(
        fleet.rows.counted().await,
        [],
        "attempts, crashes or snoozes were counted"
    );
    let completed = "select count(*) from alert_sessions where outcome = 'completed'";
    assert_eq!(
        fleet.rows.count(completed).await,
        i64::try_from(ALERTS).unwrap()
    );
    assert!(chains[1].is_running() && stages[1].is_running());
    fleet.assert_sound().await;
    assert_eq!(
        fleet.llm.count(),
        ALERTS * scene::QUESTIONS,
        "what was under way was finished, not begun anew"
    );
    assert_eq!(fleet.ledger.calls("restart_service"), ALERTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminated_ingest_answers_its_requests() {
    let fleet = Fleet::new(scene::play).await;
    let ingest = fleet.ingest().await;
    let posts = (0..ALERTS).map(|_| async {
        fleet
            .try_post(&ingest.url, &Alert::new("CheckoutDown"))
            .await
    });
    let (answers, status) = tokio::join!(futures::future::join_all(posts), async {
        wait::until("the first alert", SOON, async || {
            fleet
                .rows
                .count("select count(*) from alert_sessions")
                .await
                > 0
        })
        .await;
        ingest.process.terminate();
        ingest.process.ended(SOON).await
    });
    assert!(status.success(), "{status}");
    let accepted = answers.into_iter().flatten().count();
    assert!(accepted > 0);
    let committed = fleet
        .rows
        .count("select count(*) from alert_sessions")
        .await;
    assert_eq!(
        i64::try_from(accepted).unwrap(),
        committed,
        "each commit was answered, each answer committed"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_in_a_long_call_is_handed_on_when_the_grace_period_ends() {
    // The first call hangs and is lost with its worker. The call of the next worker is answered at once.
    let fleet = Fleet::new(scene::play)
        .await
        .with("TARSY_DRAIN_GRACE", "1s");
    fleet.llm.queue([Behaviour::Hang]);
    fleet.rows.watch_counts().await;
    let (ingest, _chain, leaving) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    wait::until("the long call", SOON, async || fleet.llm.count() == 1).await;
    let staying = fleet.stage_worker();
    fleet.workers(3).await;

    leaving.terminate();
    let terminated_at = Instant::now();
    let (status, next) = tokio::join!(
        leaving.ended(SOON),
        fleet.rows.taken_over(session, leaving.id(), AT_ONCE)
    );
    assert!(status.success(), "{status}");
    assert!(
        terminated_at.elapsed() < AT_ONCE,
        "it took {:?}",
        terminated_at.elapsed()
    );
    assert_eq!(next, staying.id());

    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(
        ended.final_analysis.as_deref(),
        Some(scene::ANALYSIS),
        "{ended:?}"
    );
    assert_eq!(
        fleet.rows.counted().await,
        [],
        "attempts, crashes or snoozes were counted"
    );
    assert_eq!(fleet.llm.count(), scene::QUESTIONS + 1);
    fleet.assert_sound().await;
}

/// A server that still works after the end of its input, like servers with connections.
const SLOW_TO_END: &str = "\
import runpy, sys, time
marker = sys.argv.pop()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name='__main__')
time.sleep(0.3)
open(marker, 'w').write('goodbye')
";

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_server_has_time_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let (script, marker) = (
        folder.path().join("wrapper.py"),
        folder.path().join("goodbye"),
    );
    std::fs::write(&script, SLOW_TO_END).unwrap();
    let arguments = format!(
        r#"["-S", "-E", "{}", "${{TARSY_TEST_FIXTURES}}/ledger_server.py", "${{TARSY_TEST_LEDGER}}", "{}"]"#,
        script.display(),
        marker.display()
    );
    let fleet = Fleet::new(scene::play).await.with_server(&arguments);
    let (ingest, _chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    fleet.rows.ended(session, SOON).await;
    assert!(!marker.exists());
    stage.terminate();
    assert!(stage.ended(SOON).await.success());
    assert_eq!(std::fs::read_to_string(&marker).unwrap(), "goodbye");
}
