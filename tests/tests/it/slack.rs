//! A Slack app asks for decisions, gets them and posts results, against a fake Slack.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::process::ExitStatusExt as _;

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::fake_slack::{FakeSlack, SECRET, TOKEN, slack_headers};
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use uuid::Uuid;

use crate::waits::{decide, pending_approval};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/slack.yaml");
pub(crate) const FINGERPRINT: &str = "a1b2c3d4e5f60718";

pub(crate) async fn fleet(slack: &FakeSlack) -> Fleet {
    fleet_with(slack, scene::play).await
}

/// Creates a fleet whose Slack app is in `slack`.
pub(crate) async fn fleet_with(
    slack: &FakeSlack,
    model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
) -> Fleet {
    Fleet::new(model)
        .await
        .with("AGENT_CONFIG_FILE", CONFIG)
        .with("TARSY_PUBLIC_URL", "https://tarsy.example")
        .with("TARSY_TEST_SLACK_URL", &slack.url)
        .with("TARSY_TEST_SLACK_TOKEN", TOKEN)
        .with("TARSY_TEST_SLACK_SECRET", SECRET)
}

pub(crate) async fn submit(fleet: &Fleet, api: &Ingest) -> Uuid {
    let data = json!({"fingerprint": FINGERPRINT, "labels": {"namespace": "<!channel>"}});
    let alert = json!({"alert_type": "Gated", "runbook": "local:checkout.md", "severity": "critical", "data": data});
    fleet.submit_body(api, &alert).await
}

/// Waits for a message of the app that contains `text`, and returns it.
pub(crate) async fn message(slack: &FakeSlack, text: &str) -> Value {
    let found = wait::up_to(SOON, async || {
        let messages = slack.messages().into_iter();
        let mut ours = messages.filter(|message| message["metadata"].is_object());
        ours.find(|message| message.to_string().contains(text))
    });
    found
        .await
        .unwrap_or_else(|| panic!("no message says {text}: {:#?}", slack.messages()))
}

/// Posts a form to the app's address, signed with `secret` `age` seconds ago. Returns the status.
pub(crate) async fn send(api: &Ingest, form: &str, secret: &str, age: u64) -> u16 {
    let url = format!("{}/webhooks/slack/room/interactions", api.url);
    let mut request = reqwest::Client::new().post(url).body(form.to_owned());
    for (name, value) in slack_headers(secret, age, form) {
        request = request.header(name, value);
    }
    request.send().await.unwrap().status().as_u16()
}

pub(crate) fn has_buttons(message: &Value) -> bool {
    let text = message.to_string();
    text.contains("\"approve\"") && text.contains("\"deny\"")
}

async fn decided(fleet: &Fleet) -> i64 {
    fleet
        .rows
        .count("select count(*) from waits where decision is not null")
        .await
}

/// Waits until all deliveries are recorded, because Slack has a message before its delivery is recorded.
pub(crate) async fn deliveries_ended(fleet: &Fleet) {
    wait::until("the deliveries' jobs to end", SOON, async || {
        let jobs = "select count(*) from jobs where queue = 'webhook'";
        fleet.rows.count(jobs).await == 0
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_decides_as_the_user_it_is_mapped_to_and_the_thread_shows_the_end() {
    let slack = FakeSlack::start(1).await;
    let fleet = fleet(&slack).await;
    let alertmanager = slack.post_as_other(
        json!({"bot_id": "B1", "text": "[FIRING] cart", "attachments": [{"text": FINGERPRINT}]}),
    );
    let _ = slack.post_as_other(json!({"text": "lunch?"}));
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = submit(&fleet, &api).await;

    let approval = message(&slack, "waits for approval").await;
    assert_eq!(approval["thread_ts"], alertmanager.as_str());
    assert!(has_buttons(&approval), "{approval:#}");
    let text = approval.to_string();
    assert!(text.contains("&lt;!channel&gt;") && !text.contains("<!channel>"));
    wait::until("the delivery to be noted", SOON, async || {
        let noted =
            "select count(*) from webhook_deliveries where state = 'delivered' and attempts = 1";
        fleet.rows.count(noted).await == 1
    })
    .await;

    // A press decides nothing if it is not from Slack, is too old, or is by an unmapped user.
    let press = slack.press(&approval, "U0OPERATOR", "approve");
    assert_eq!(send(&api, &press, "forged", 0).await, 401);
    assert_eq!(send(&api, &press, SECRET, 301).await, 401);
    let other = format!("{}/webhooks/slack/nowhere/interactions", api.url);
    let unknown = reqwest::Client::new()
        .post(other)
        .body("payload=")
        .send()
        .await
        .unwrap();
    assert_eq!(unknown.status().as_u16(), 404);
    assert_eq!(
        send(
            &api,
            &slack.press(&approval, "U0STRANGER", "approve"),
            SECRET,
            0
        )
        .await,
        200
    );
    let whispers = slack.whispers();
    assert_eq!(
        (whispers.len(), &whispers[0]["user"]),
        (1, &json!("U0STRANGER"))
    );
    assert_eq!((decided(&fleet).await, slack.updates()), (0, 0));

    assert_eq!(send(&api, &press, SECRET, 0).await, 200);
    assert_eq!(decided(&fleet).await, 1);
    let shown = message(&slack, "*approved* by alex").await;
    assert!(shown["metadata"] == approval["metadata"], "{shown:#}");
    assert!(
        shown["ts"] == approval["ts"] && !has_buttons(&shown),
        "{shown:#}"
    );

    // The second user to decide changes nothing and is informed.
    assert_eq!(
        send(
            &api,
            &slack.press(&approval, "U0OPERATOR", "deny"),
            SECRET,
            0
        )
        .await,
        200
    );
    assert!(
        slack.whispers()[1]["text"]
            .as_str()
            .unwrap()
            .contains("*approved* by alex")
    );
    let audited = "select count(*) from audit_log where actor = 'alex' and means = 'slack'";
    assert_eq!(fleet.rows.count(audited).await, 1);

    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    let posted = message(&slack, scene::ANALYSIS).await;
    assert_eq!(posted["thread_ts"], alertmanager.as_str());
    let link = format!("https://tarsy.example/dashboard/sessions/{session}");
    assert!(
        posted.to_string().contains(&link) && !has_buttons(&posted),
        "{posted:#}"
    );
    deliveries_ended(&fleet).await;
    assert_eq!(slack.updates(), 1);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_worker_killed_around_a_deliverys_commit_posts_once_into_one_thread() {
    for point in [
        "lone.note_attempt.before_commit",
        "lone.note_attempt.after_commit",
    ] {
        let slack = FakeSlack::start(0).await;
        let fleet = fleet(&slack).await;
        let (api, _stage) = (fleet.ingest().await, fleet.stage_worker());
        let armed = fleet.program("chain-worker").env("TARSY_CRASH_AT", point);
        let armed = armed.start().unwrap();
        let session = submit(&fleet, &api).await;
        let status = armed.ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");
        let approval = message(&slack, "waits for approval").await;

        let _chain = fleet.chain_worker();
        wait::until("the delivery to be noted", SOON, async || {
            let noted = "select count(*) from webhook_deliveries where state = 'delivered'";
            fleet.rows.count(noted).await == 1
        })
        .await;
        assert_eq!(
            slack.messages().len(),
            1,
            "{point}: {:#?}",
            slack.messages()
        );

        assert_eq!(
            send(
                &api,
                &slack.press(&approval, "U0OPERATOR", "deny"),
                SECRET,
                0
            )
            .await,
            200
        );
        fleet.rows.ended(session, SOON).await;
        let end = message(&slack, "no answer: ").await;
        assert_eq!(end["thread_ts"], approval["ts"], "{point}: {end:#}");
        assert_eq!(slack.messages().len(), 2, "{point}");
        deliveries_ended(&fleet).await;
        let shown = message(&slack, "*denied* by alex").await;
        assert!(
            shown["ts"] == approval["ts"] && !has_buttons(&shown),
            "{point}"
        );
        fleet.assert_sound_after(point).await;
    }
}

/// An update that comes before its message waits for the message. A question that is decided before it is posted has no
/// buttons.
#[tokio::test(flavor = "multi_thread")]
async fn a_decision_before_the_message_waits_for_it() {
    // Slack refuses the first post, so the message is late.
    let slack = FakeSlack::start(1).await;
    let fleet = fleet(&slack).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = submit(&fleet, &api).await;
    let wait = pending_approval(&api, session).await;
    // An earlier decision would delete the job of the message, so that no message would be sent.
    wait::until("the message to be due", SOON, async || {
        let due = "select count(*) from webhook_deliveries where event = 'session.waiting'";
        fleet.rows.count(due).await == 1
    })
    .await;
    assert_eq!(decide(&api, &wait, "deny").await.0, 200);
    let shown = message(&slack, "*denied* by ").await;
    assert!(!has_buttons(&shown), "{shown:#}");
    deliveries_ended(&fleet).await;
    let posted = slack.posted();
    assert!(
        posted.iter().all(|message| !has_buttons(message)),
        "{posted:#?}"
    );
    let delivered = "select count(*) from webhook_deliveries where state = 'delivered'";
    assert!(fleet.rows.count(delivered).await >= 2);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_worker_killed_around_a_change_changes_the_same_message() {
    for (point, updates) in [
        ("lone.note_attempt.before_commit", 2),
        ("lone.note_attempt.after_commit", 1),
        ("chain.announce.before_commit", 1),
        ("chain.announce.after_commit", 1),
    ] {
        let slack = FakeSlack::start(0).await;
        let fleet = fleet(&slack).await;
        let (api, stage) = (fleet.ingest().await, fleet.stage_worker());
        let chain = fleet.chain_worker();
        let session = submit(&fleet, &api).await;
        let approval = approval_message(&slack, session).await;
        deliveries_ended(&fleet).await;
        chain.terminate();
        chain.ended(SOON).await;
        // The end of the session is posted later, so the update is the next attempt.
        stage.terminate();
        stage.ended(SOON).await;
        assert_eq!(
            decide(&api, &pending_approval(&api, session).await, "approve")
                .await
                .0,
            200
        );

        let armed = fleet.program("chain-worker").env("TARSY_CRASH_AT", point);
        let status = armed.start().unwrap().ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");

        let (_chain, _stage) = (fleet.chain_worker(), fleet.stage_worker());
        fleet.rows.ended(session, SOON).await;
        deliveries_ended(&fleet).await;
        let shown = message(&slack, "*approved* by ").await;
        assert!(
            shown["ts"] == approval["ts"] && !has_buttons(&shown),
            "{point}: {shown:#}"
        );
        // An update whose response was lost is made again with the same content.
        assert_eq!(
            (slack.messages().len(), slack.updates()),
            (2, updates),
            "{point}"
        );
        let states =
            "select count(*) from webhook_deliveries where state = 'delivered' and attempts = 1";
        assert_eq!(fleet.rows.count(states).await, 3, "{point}");
        fleet.assert_sound_after(point).await;
    }
}

/// Waits for the message that asks for a decision about this session, and returns it.
pub(crate) async fn approval_message(slack: &FakeSlack, session: Uuid) -> Value {
    let found = wait::up_to(SOON, async || {
        let mut messages = slack.messages().into_iter();
        messages.find(|message| message.to_string().contains(&session.to_string()))
    });
    let approval = found.await.expect("it is asked for in Slack");
    assert!(has_buttons(&approval), "{approval:#}");
    approval
}
