//! A Slack app posts that a session has started, in the same thread as its later messages.

use std::os::unix::process::ExitStatusExt as _;

use serde_json::{Value, json};
use tarsy_testing::wait;
use tarsy_tests::fake_slack::FakeSlack;
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use uuid::Uuid;

use crate::slack::{FINGERPRINT, deliveries_ended, fleet, has_buttons, message};
use crate::waits::{decide, pending_approval};

/// Submits an alert whose first stage runs until it needs approval of a tool call.
pub(crate) async fn submit(fleet: &Fleet, api: &Ingest) -> Uuid {
    let data = json!({"fingerprint": FINGERPRINT, "labels": {"namespace": "shop"}});
    let alert = json!({"alert_type": "Watched", "runbook": "local:checkout.md", "severity": "critical", "data": data});
    fleet.submit_body(api, &alert).await
}

/// Returns the app's messages, each with the word that identifies its kind.
pub(crate) fn messages_by_kind(slack: &FakeSlack) -> Vec<(&'static str, Value)> {
    let ours = slack.messages().into_iter();
    let ours = ours.filter(|message| message["metadata"].is_object());
    let word = |message: &Value| {
        let text = message["text"].as_str().unwrap_or_default();
        let words = [
            "started",
            "waits for approval",
            "approved",
            "denied",
            "completed",
            "failed",
        ];
        let word = words.into_iter().find(|word| text.contains(word));
        word.unwrap_or("other")
    };
    ours.map(|message| (word(&message), message["thread_ts"].clone()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_shows_the_start_the_question_and_the_end() {
    // Slack refuses the first post. Later messages wait for the message about the start, or there would be two threads.
    let slack = FakeSlack::start(1).await;
    let fleet = fleet(&slack).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = submit(&fleet, &api).await;
    let approval = message(&slack, "waits for approval").await;
    assert!(has_buttons(&approval), "{approval:#}");
    let start = message(&slack, "started").await;
    let text = start.to_string();
    assert!(
        text.contains("shop") && text.contains(&session.to_string()),
        "{text}"
    );
    assert!(
        start["thread_ts"].is_null() && !has_buttons(&start),
        "it opens the thread: {start:#}"
    );
    assert_eq!(
        decide(&api, &pending_approval(&api, session).await, "approve")
            .await
            .0,
        200
    );
    fleet.rows.ended(session, SOON).await;
    message(&slack, scene::ANALYSIS).await;
    deliveries_ended(&fleet).await;
    let thread = &start["ts"];
    assert_eq!(
        messages_by_kind(&slack),
        [
            ("started", Value::Null),
            ("approved", thread.clone()),
            ("completed", thread.clone())
        ]
    );
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_worker_killed_around_the_announcement_posts_the_start_once() {
    for point in [
        "chain.announce_start.before_commit",
        "chain.announce_start.after_commit",
    ] {
        let slack = FakeSlack::start(0).await;
        let fleet = fleet(&slack).await;
        let api = fleet.ingest().await;
        let armed = fleet.program("chain-worker").env("TARSY_CRASH_AT", point);
        let armed = armed.start().unwrap();
        let session = submit(&fleet, &api).await;
        let status = armed.ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");

        let _chain = fleet.chain_worker();
        message(&slack, "started").await;
        // The worker starts only now, because a stage that runs earlier may ask its question first.
        let _stage = fleet.stage_worker();
        assert_eq!(
            decide(&api, &pending_approval(&api, session).await, "approve")
                .await
                .0,
            200
        );
        fleet.rows.ended(session, SOON).await;
        message(&slack, scene::ANALYSIS).await;
        deliveries_ended(&fleet).await;
        let words: Vec<_> = messages_by_kind(&slack)
            .into_iter()
            .map(|(word, _)| word)
            .collect();
        assert_eq!(words, ["started", "approved", "completed"], "{point}");
        fleet.assert_sound_after(point).await;
    }
}

/// After a storm, a late message about a start is no longer sent. A start without a listening target has no row.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_is_not_posted_after_the_end_nor_to_targets_without_starts() {
    let slack = FakeSlack::start(0).await;
    let fleet = fleet(&slack).await;
    let (api, chain) = (fleet.ingest().await, fleet.chain_worker());
    let session = submit(&fleet, &api).await;
    message(&slack, "started").await;
    deliveries_ended(&fleet).await;
    chain.terminate();
    chain.ended(SOON).await;

    // Simulates that Slack delayed the message until the session was over.
    let late = "update webhook_deliveries set state = 'pending' where event = 'session.started' returning delivery_id";
    let late: Uuid = sqlx::query_scalar(late)
        .fetch_one(fleet.rows.pool())
        .await
        .unwrap();
    let cancel = format!("{}/api/v1/admin/sessions/{session}/cancel", api.url);
    let cancel = reqwest::Client::new().post(cancel);
    let cancelled = cancel.json(&json!({"reason": "a test"})).send().await;
    assert!(cancelled.unwrap().status().is_success());
    let again = format!(
        "{}/api/v1/admin/webhook-deliveries/{late}/redeliver",
        api.url
    );
    let again = reqwest::Client::new().post(again);
    let queued = again.json(&json!({"reason": "a test"})).send().await;
    assert!(queued.unwrap().status().is_success());
    let _chain = fleet.chain_worker();
    deliveries_ended(&fleet).await;
    let quiet = "select count(*) from webhook_deliveries
                 where event = 'session.started' and state = 'delivered' and response_status is null";
    wait::until("the late start to be dropped", SOON, async || {
        fleet.rows.count(quiet).await == 1
    })
    .await;
    assert_eq!(messages_by_kind(&slack).len(), 1, "{:#?}", slack.messages());
    let others = "select count(*) from webhook_deliveries where target <> 'room'";
    assert_eq!(fleet.rows.count(others).await, 0);
}
