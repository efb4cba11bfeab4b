//! Buttons disappear no matter who decides, and no matter how the session of the question ends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use tarsy_tests::fake_slack::{FakeSlack, SECRET};
use tarsy_tests::{Fleet, SOON};
use uuid::Uuid;

use crate::slack::{approval_message, deliveries_ended, fleet, has_buttons, message, send, submit};
use crate::waits::pending_approval;

/// Decisions in any place remove the buttons from the message that asked.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_decides_takes_the_buttons_away() {
    let slack = FakeSlack::start(0).await;
    let fleet = fleet(&slack).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let post = async |path: String, body: Value| {
        let request = reqwest::Client::new().post(format!("{}/api/v1/{path}", api.url));
        let status = request.json(&body).send().await.unwrap().status();
        assert!(status.is_success(), "{path}: {status}");
    };
    for (end, expected) in [
        ("page", "*denied* by "),
        ("cancel", "*cancelled* by "),
        ("time", "*expired* on "),
        ("given up", "*cancelled* by chain worker"),
    ] {
        let session = submit(&fleet, &api).await;
        let approval = approval_message(&slack, session).await;
        let wait = pending_approval(&api, session).await;
        let id = wait["wait_id"].as_str().unwrap();
        let reason = "no <!here>, token ghp_0123456789abcdefghijABCDEFGHIJ012345";
        match end {
            "page" => {
                let body = json!({"decision": "deny", "reason": reason});
                post(format!("approvals/{id}"), body).await;
            }
            "cancel" => {
                post(
                    format!("admin/sessions/{session}/cancel"),
                    json!({"reason": reason}),
                )
                .await
            }
            "time" => expire(&fleet, id).await,
            _ => spoil(&fleet, session).await,
        }
        let shown = message(&slack, expected).await;
        assert_eq!(shown["ts"], approval["ts"], "{end}: {shown:#}");
        assert!(
            !has_buttons(&shown) && shown["metadata"] == approval["metadata"],
            "{end}: {shown:#}"
        );
        let text = shown.to_string();
        assert!(text.contains("<!date^"), "{end}: {text}");
        assert!(
            !text.contains("<!here>") && !text.contains("ghp_01234"),
            "{end}: {text}"
        );
        fleet.rows.ended(session, SOON).await;
    }
    deliveries_ended(&fleet).await;
    assert_eq!(slack.updates(), 4);
    let failed = "select count(*) from webhook_deliveries where state <> 'delivered'";
    assert_eq!(fleet.rows.count(failed).await, 0);
    fleet.assert_sound().await;
}

/// The signature proves one Slack app. It can decide only questions that this app asked.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_that_was_not_requested_here_is_not_decided_here() {
    let slack = FakeSlack::start(0).await;
    let fleet = fleet(&slack).await;
    let (api, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let session = submit(&fleet, &api).await;
    let approval = approval_message(&slack, session).await;
    deliveries_ended(&fleet).await;
    let elsewhere = "update webhook_deliveries set target = 'elsewhere'";
    let moved = sqlx::query(elsewhere).execute(fleet.rows.pool());
    moved.await.unwrap();
    let press = slack.press(&approval, "U0OPERATOR", "approve");
    assert_eq!(send(&api, &press, SECRET, 0).await, 200);
    let decided = "select count(*) from waits where decision is not null";
    assert_eq!(fleet.rows.count(decided).await, 0);
    let whisper = slack.whispers().pop().unwrap();
    assert!(
        whisper["text"].to_string().contains("was not asked here"),
        "{whisper:#}"
    );
}

/// Workspaces that installed the same app share its signing secret, so a signature alone proves too little.
#[tokio::test(flavor = "multi_thread")]
async fn a_press_of_another_app_workspace_or_channel_decides_nothing() {
    let slack = FakeSlack::start(0).await;
    let fleet = fleet(&slack).await;
    let (api, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let session = submit(&fleet, &api).await;
    let approval = approval_message(&slack, session).await;
    deliveries_ended(&fleet).await;
    let press = slack.press(&approval, "U0OPERATOR", "approve");
    let decided = "select count(*) from waits where decision is not null";
    for (member, ours, theirs) in [
        ("api_app_id", "A1", "A2"),
        ("team_id", "T1", "T2"),
        ("id", "C024BE91L", "C024BE91X"),
    ] {
        let [ours, theirs] = [ours, theirs].map(|id| format!("%22{member}%22%3A%22{id}%22"));
        let foreign = press.replace(&ours, &theirs);
        assert_ne!(foreign, press, "{member}");
        assert_eq!(send(&api, &foreign, SECRET, 0).await, 200);
        assert_eq!(fleet.rows.count(decided).await, 0, "{member}");
        let whisper = slack.whispers().pop().unwrap()["text"].to_string();
        assert!(
            whisper.contains("was not asked here"),
            "{member}: {whisper}"
        );
    }
    assert_eq!(slack.whispers().len(), 3);
    assert_eq!(send(&api, &press, SECRET, 0).await, 200);
    assert_eq!(fleet.rows.count(decided).await, 1);
}

/// Makes a wait expire.
async fn expire(fleet: &Fleet, wait: &str) {
    let wait: Uuid = wait.parse().unwrap();
    for moved in [
        "update waits set expires_at = now() where wait_id = $1",
        "update jobs set run_at = now(), rank = now() where subject = $1 and kind = 'wait'",
    ] {
        let moved = sqlx::query(moved).bind(wait).execute(fleet.rows.pool());
        moved.await.unwrap();
    }
}

/// Makes a session unreadable for chain workers, and starts a chain job for it.
async fn spoil(fleet: &Fleet, session: Uuid) {
    for spoiled in [
        "update alert_sessions set chain_definition = '{\"stages\": []}' where session_id = $1",
        "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts)
         values (gen_random_uuid(), 'chain', 'chain', $1, 'null', 0, 'ready', now(), now(), 5)",
    ] {
        let spoiled = sqlx::query(spoiled).bind(session).execute(fleet.rows.pool());
        spoiled.await.unwrap();
    }
}
