//! From an alert of a real Alertmanager to a follow-up question, in one Slack thread, with workers killed on the way.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::Behaviour;
use tarsy_testing::wait;
use tarsy_tests::fake_slack::{CHANNEL, FakeSlack, SECRET, TOKEN};
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use uuid::Uuid;

use crate::alertmanager::Alertmanager;
use crate::command_line::tarsy;
use crate::slack::{deliveries_ended, fleet_with, has_buttons, message, send};
use crate::slack_mentions::{answers_questions, event};
use crate::slack_starts::messages_by_kind;
use crate::waits::{decide, pending_approval};

const ALEX: &str = "U0OPERATOR";

/// Starts a real Alertmanager that posts to Slack and to the fleet.
fn alertmanager(slack: &FakeSlack, api: &Ingest) -> Alertmanager {
    let text = "{{ range .Alerts }}{{ .Annotations.summary }} ({{ .Fingerprint }}){{ end }}";
    Alertmanager::start(json!({
        "slack_configs": [{
            "api_url": format!("{}/chat.postMessage", slack.url), "channel": CHANNEL, "text": text,
            "http_config": {"authorization": {"credentials": TOKEN}},
        }],
        "webhook_configs": [{"url": format!("{}/webhooks/alertmanager", api.url), "send_resolved": true}],
    }))
}

async fn fires(alertmanager: &Alertmanager, namespace: &str) {
    let labels =
        json!({"alertname": "CheckoutDown", "namespace": namespace, "severity": "critical"});
    alertmanager.fires(labels, "checkout answers 503").await;
}

/// Waits for a session of an alert of this namespace, and returns its id.
async fn session_in(fleet: &Fleet, namespace: &str) -> Uuid {
    let id = "select session_id from alert_sessions where alert_data #>> '{labels,namespace}' = $1";
    let found = wait::up_to(SOON, async || {
        let id = sqlx::query_scalar(id).bind(namespace);
        id.fetch_optional(fleet.rows.pool()).await.unwrap()
    });
    found.await.expect("its session")
}

#[tokio::test(flavor = "multi_thread")]
async fn start_approval_answer_and_question_of_an_alert_are_in_one_thread() {
    let slack = FakeSlack::start(0).await;
    // The first call to the model hangs, so that its worker can be killed.
    let (first, hangs) = (AtomicBool::new(true), Arc::new(AtomicBool::new(false)));
    let answers = answers_questions(&hangs);
    let model = move |request: &_| match first.swap(false, Ordering::SeqCst) {
        true => Behaviour::Hang,
        false => answers(request),
    };
    let fleet = fleet_with(&slack, model).await;
    let (api, stage) = (fleet.ingest().await, fleet.stage_worker());
    let alertmanager = alertmanager(&slack, &api);

    // The alert fires. Alertmanager notifies Slack and the fleet.
    fires(&alertmanager, "shop").await;
    let session = session_in(&fleet, "shop").await;
    let theirs = wait::up_to(SOON, async || slack.messages().pop());
    let theirs = theirs.await.expect("Alertmanager's own message");
    assert!(theirs["metadata"].is_null() && theirs.to_string().contains("checkout answers 503"));
    let chain = fleet.chain_worker();

    // The session starts, and its start is posted as a reply to that message. Then its worker dies.
    let start = message(&slack, "started").await;
    assert_eq!(start["thread_ts"], theirs["ts"], "{start:#}");
    wait::until("the first call to the model", SOON, async || {
        fleet.llm.count() == 1
    })
    .await;
    assert_eq!(fleet.rows.holder(session, SOON).await, stage.id());
    stage.kill();
    let stage = fleet.stage_worker();

    // It asks with buttons. No worker is alive to make the call when the button is pressed.
    let approval = message(&slack, "waits for approval").await;
    assert!(
        has_buttons(&approval) && approval["thread_ts"] == theirs["ts"],
        "{approval:#}"
    );
    assert_eq!(fleet.ledger.calls("restart_service"), 0);
    stage.kill();
    assert_eq!(
        send(&api, &slack.press(&approval, ALEX, "approve"), SECRET, 0).await,
        200
    );
    chain.kill();
    let (_chain, _stage) = (fleet.chain_worker(), fleet.stage_worker());

    // The call is made once. The thread reports the end and who decided.
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    assert_eq!(fleet.ledger.calls("restart_service"), 1);
    message(&slack, scene::ANALYSIS).await;
    let shown = message(&slack, "*approved* by alex").await;
    assert!(
        shown["ts"] == approval["ts"] && !has_buttons(&shown),
        "{shown:#}"
    );
    deliveries_ended(&fleet).await;
    let thread = &theirs["ts"];
    assert_eq!(
        messages_by_kind(&slack),
        ["started", "approved", "completed"].map(|word| (word, thread.clone()))
    );

    // Somebody asks a question in the thread.
    let payload = slack.mention("Ev1", ALEX, thread.as_str(), "Is checkout up now?");
    assert_eq!(
        event(&api, &payload, SECRET, None).await,
        Some((200, json!({})))
    );
    let answer = message(&slack, "it is *up*").await;
    assert_eq!(&answer["thread_ts"], thread, "{answer:#}");

    // Others decide on the command line and over the API. One audit log has all three decisions.
    for (namespace, by) in [("cart", "the command line"), ("stock", "the API")] {
        fires(&alertmanager, namespace).await;
        let session = session_in(&fleet, namespace).await;
        let wait = pending_approval(&api, session).await;
        let id = wait["wait_id"].as_str().unwrap();
        match by {
            "the API" => assert_eq!(decide(&api, &wait, "approve").await.0, 200),
            _ => {
                let output =
                    tarsy(&api.url, &format!("approvals approve {id} --reason wanted")).await;
                assert!(output.out.contains("approved"), "{}", output.out);
            }
        }
        fleet.rows.ended(session, SOON).await;
    }
    assert_eq!(fleet.ledger.calls("restart_service"), 3);
    let url = format!("{}/api/v1/admin/audit-log?action=approval.approve", api.url);
    let audit: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
    let entries = audit["entries"]
        .as_array()
        .unwrap_or_else(|| panic!("{audit}"));
    let means: Vec<&str> = entries
        .iter()
        .rev()
        .filter_map(|entry| entry["means"].as_str())
        .collect();
    assert_eq!(means, ["slack", "off", "off"], "{audit:#}");
    deliveries_ended(&fleet).await;
    fleet.assert_sound().await;
}
