//! `tarsy` against a real fleet.

mod reports;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tarsy_testing::fake_llm::Behaviour;
use tarsy_tests::command::{self, CommandOutput};
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use uuid::Uuid;

pub(crate) async fn tarsy(url: &str, arguments: &str) -> CommandOutput {
    command::tarsy(arguments, &[("TARSY_URL", url)]).await
}

/// Three sessions whose second stage failed.
async fn broken_fleet() -> (Fleet, Ingest, Arc<AtomicBool>) {
    let broken = Arc::new(AtomicBool::new(true));
    let is_broken = Arc::clone(&broken);
    let fleet = Fleet::new(move |request| {
        match request.contains("You are the analyst.") && is_broken.load(Ordering::SeqCst) {
            true => Behaviour::fail(401, "invalid key"),
            false => scene::play(request),
        }
    })
    .await;
    let ingest = fleet.ingest().await;
    (fleet, ingest, broken)
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_replayed_and_cancelled_one_or_many() {
    let (fleet, ingest, broken) = broken_fleet().await;
    let (url, _chain, stage) = (
        ingest.url.as_str(),
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(fleet.submit(&ingest, "CheckoutDown").await);
    }
    for session in &sessions {
        fleet.rows.ended(*session, SOON).await;
    }
    let listed = tarsy(
        url,
        "sessions --outcome partial --alert-type CheckoutDown --json",
    )
    .await
    .json();
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 3);

    broken.store(false, Ordering::SeqCst);
    let first = sessions[0];
    tarsy(url, &format!("replay {first}"))
        .await
        .fails_with_error("--reason");
    tarsy(url, &format!("replay {first} --stage 9 --reason test"))
        .await
        .fails_with_error("stage_not_found");
    tarsy(
        url,
        &format!("replay {first} --provider nobody --reason test"),
    )
    .await
    .fails_with_error("llm_provider: no provider");
    tarsy(url, &format!("replay {first} --reason test --follow"))
        .await
        .prints(scene::ANALYSIS);
    tarsy(url, &format!("replay {first} --reason test"))
        .await
        .fails_with_error("no stage of session");

    tarsy(url, "replay --reason test")
        .await
        .fails_with_error("give a session id");
    tarsy(url, "replay --outcome partial --reason test")
        .await
        .fails_with_error("--yes");
    tarsy(url, "replay --outcome partial --reason test --dry-run")
        .await
        .prints("2 sessions match (dry run)");
    tarsy(url, "replay --outcome partial --reason test --yes")
        .await
        .prints("2 of 2 sessions replayed");
    for session in &sessions {
        let ended = fleet.rows.ended(*session, SOON).await;
        assert_eq!(ended.outcome.as_deref(), Some("completed"));
    }

    stage.terminate();
    stage.ended(SOON).await;
    let waiting = [
        fleet.submit(&ingest, "CheckoutDown").await,
        fleet.submit(&ingest, "ReportOnly").await,
    ];
    let cancelled = tarsy(url, &format!("cancel {} --reason test --json", waiting[0]))
        .await
        .json();
    assert_eq!(cancelled["status"], "cancelled");
    tarsy(url, &format!("cancel {} --reason test", waiting[0]))
        .await
        .fails_with_error("session_ended");
    let many = "cancel --status pending --status in_progress --reason test --yes --json";
    assert_eq!(tarsy(url, many).await.json()["affected"], 1);
    tarsy(url, &format!("sessions show {}", waiting[1]))
        .await
        .prints("cancelled by api-client: test");
    let audited = "select count(*) from audit_log where reason = 'test'";
    assert_eq!(fleet.rows.count(audited).await, 3 + 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_watched_as_they_come_and_go() {
    let (fleet, ingest, _broken) = broken_fleet().await;
    let (_chain, stage) = (fleet.chain_worker(), fleet.stage_worker());
    let before = fleet.submit(&ingest, "ReportOnly").await;
    fleet.rows.ended(before, SOON).await;
    stage.terminate();
    stage.ended(SOON).await;
    let program = |arguments: &[&str]| {
        let program = fleet.program("tarsy").env("TARSY_URL", &ingest.url);
        let program = arguments
            .iter()
            .fold(program, |program, argument| program.arg(*argument));
        program.start().unwrap()
    };
    let watching = program(&["sessions", "watch"]);
    let first = fleet.submit(&ingest, "CheckoutDown").await;
    watching.printed(&first.to_string(), SOON).await;
    let _stage = fleet.stage_worker();
    watching.printed("completed", SOON).await;
    assert!(
        !watching.log().contains(&before.to_string()),
        "what had ended before is not told of: {}",
        watching.log()
    );

    let second = fleet.submit(&ingest, "CheckoutDown").await;
    let one = program(&["sessions", "watch", &second.to_string()]);
    assert!(one.ended(SOON).await.success());
    let printed = one.log();
    for part in [
        "▶ collect",
        "ledger.read_status",
        "▶ report",
        scene::ANALYSIS,
        "partial",
    ] {
        assert!(printed.contains(part), "no `{part}`: {printed}");
    }
    let unknown = format!("sessions watch {}", Uuid::now_v7());
    tarsy(&ingest.url, &unknown)
        .await
        .fails_with_error("session_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fleet_is_seen_and_steered() {
    let fleet = Fleet::new(scene::play)
        .await
        .with("TARSY_LEASE_TTL", "600s");
    let (ingest, chain) = (fleet.ingest().await, fleet.chain_worker());
    fleet.workers(1).await;
    let url = ingest.url.as_str();
    tarsy(url, "queues pause chain --reason test")
        .await
        .prints("is paused by api-client: test");
    let listed = tarsy(url, "queues").await;
    listed.prints("is paused by api-client: test");
    listed.prints("wait p50");
    assert_eq!(
        tarsy(url, "queues resume chain --reason test --json")
            .await
            .json()["paused"],
        false
    );
    tarsy(url, "queues pause chains --reason test")
        .await
        .fails_with_error("known: chain, stage:default");

    let workers = tarsy(url, "workers --json").await.json();
    let worker = workers["workers"][0]["worker_id"].as_str().unwrap();
    tarsy(url, "workers").await.prints("chain-worker");
    tarsy(url, &format!("workers drain {worker} --reason test"))
        .await
        .prints("is draining");
    assert!(chain.ended(SOON).await.success());

    let dead = [Uuid::now_v7(), Uuid::now_v7()];
    for id in dead {
        let insert = "insert into dead_jobs (id, queue, kind, subject, payload, priority, attempts, max_attempts, crashes, snoozes,
                          epoch, created_at, reason, error)
                      values ($1, 'chain', 'teleport', $1, '[\"what?\"]', 0, 1, 1, 0, 0, 1, now(), 'undecodable', 'no such kind')";
        sqlx::query(insert)
            .bind(id)
            .execute(fleet.rows.pool())
            .await
            .unwrap();
    }
    tarsy(url, "dead").await.prints("teleport");
    tarsy(url, "dead list --died-of exhausted")
        .await
        .prints("no dead jobs");
    tarsy(url, &format!("dead show {}", dead[0]))
        .await
        .prints("[\"what?\"]");
    tarsy(url, &format!("dead requeue {} --reason test", dead[0]))
        .await
        .prints("is requeued in chain");
    tarsy(url, &format!("dead discard {} --reason test", dead[1]))
        .await
        .fails_with_error("--yes");
    tarsy(
        url,
        &format!("dead discard {} --reason test --yes", dead[1]),
    )
    .await
    .prints("is discarded");
    tarsy(url, &format!("dead show {}", dead[1]))
        .await
        .fails_with_error("dead_job_not_found");

    tarsy(url, "prune --dry-run")
        .await
        .prints("0 sessions and 0 events are expired");
    tarsy(url, "prune --sizes").await.prints("alert_sessions");
    let pruned = tarsy(url, "prune --reason test --yes --json").await.json();
    assert_eq!(
        (&pruned["sessions"], &pruned["dry_run"]),
        (&Value::from(0), &Value::from(false))
    );

    tarsy("http://127.0.0.1:9", "queues")
        .await
        .fails_with_error("no response from the API at http://127.0.0.1:9");
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        tarsy(url, &format!("completion {shell}"))
            .await
            .prints("sessions");
    }
    let completion = tarsy(url, "completion bash").await;
    for command in ["replay", "cancel", "queues", "workers", "dead", "prune"] {
        completion.prints(&format!("tarsy__subcmd__{command}"));
    }
}
