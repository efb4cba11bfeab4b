//! The `tarsy` program as each service and as the whole fleet in one process.

use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};
use tarsy_testing::process::binary;
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, SOON, scene};

/// The shipped program runs as each service by a subcommand, or by a link with the service's name.
#[tokio::test(flavor = "multi_thread")]
async fn one_program_is_every_service() {
    let fleet = Fleet::new(scene::play).await;
    let ingest = fleet
        .ingest_with(fleet.program("tarsy").arg("ingest-api"))
        .await;
    let folder = tempfile::tempdir().unwrap();
    let mut workers = Vec::new();
    for service in ["chain-worker", "stage-worker"] {
        let link = folder.path().join(service);
        std::os::unix::fs::symlink(binary("tarsy"), &link).unwrap();
        workers.push(fleet.program_at(service, link).start().unwrap());
    }
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    for process in workers.iter().chain([&ingest.process]) {
        process.terminate();
        let status = process.ended(SOON).await;
        assert!(status.success(), "{status}: {}", process.log());
    }
    fleet.assert_sound().await;
}

/// A slightly slow model, so that a stage is running when the drain comes.
fn thoughtful(request: &SeenRequest) -> Behaviour {
    match scene::play(request) {
        Behaviour::Answer(answer) => Behaviour::Answer(FakeAnswer {
            delay_ms: 300,
            ..answer
        }),
        other => other,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drained_part_takes_the_others_along_and_costs_nothing() {
    let fleet = Fleet::new(thoughtful).await;
    fleet.rows.watch_counts().await;
    let up = fleet.up().await;
    fleet.workers(1).await;
    let sessions = [
        fleet.submit(&up, "CheckoutDown").await,
        fleet.submit(&up, "CheckoutDown").await,
    ];
    wait::until("both to be under way", SOON, async || {
        fleet.llm.count() >= 2
    })
    .await;

    let api = [("TARSY_URL", up.url.as_str())];
    let workers = tarsy("workers --json", &api).await.json();
    let worker = workers["workers"][0]["worker_id"].as_str().unwrap();
    let drain = format!("workers drain {worker} --reason deploy");
    tarsy(&drain, &api).await.prints("is draining");
    let status = up.process.ended(SOON).await;
    assert!(status.success(), "{status}: {}", up.process.log());
    assert_eq!(fleet.rows.count("select count(*) from workers").await, 0);
    let held = "select count(*) from jobs where owner is not null";
    assert_eq!(fleet.rows.count(held).await, 0, "every job was given back");
    let noted =
        "select count(*) from audit_log where action = 'worker.drain' and reason = 'deploy'";
    assert_eq!(fleet.rows.count(noted).await, 1);

    // The next process continues where this one left off.
    let _next = fleet.up().await;
    for session in sessions {
        let ended = fleet.rows.ended(session, SOON).await;
        assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    }
    assert_eq!(
        fleet.rows.counted().await,
        [],
        "attempts, crashes or snoozes were counted"
    );
    assert_eq!(
        fleet.llm.count(),
        sessions.len() * scene::QUESTIONS,
        "no answer was asked for twice"
    );
    fleet.assert_sound().await;
}
