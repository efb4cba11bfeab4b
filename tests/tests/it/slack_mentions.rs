//! A mention of a Slack app asks a question about the session of its thread, and the answer is posted there.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::fake_slack::{FakeSlack, SECRET, slack_headers};
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use uuid::Uuid;

use crate::slack::{deliveries_ended, fleet_with, message};
use crate::slack_starts::submit;
use crate::waits::{decide, pending_approval};

const QUESTION: &str = "# Follow-up Question";
const ALEX: &str = "U0OPERATOR";
const QUESTIONS: &str = "select count(*) from alert_sessions where conversation_id is not null";

/// A model that answers questions. Its answer hangs while `hangs` is set.
pub(crate) fn answers_questions(
    hangs: &Arc<AtomicBool>,
) -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static {
    let hangs = Arc::clone(hangs);
    move |request| match request.contains(QUESTION) {
        false => scene::play(request),
        true if hangs.load(Ordering::SeqCst) => Behaviour::Hang,
        true => Behaviour::text("Final Answer: it is *up* <!channel>"),
    }
}

/// Posts an event to the app's address like Slack. Returns status and body of the response.
pub(crate) async fn event(
    api: &Ingest,
    event: &Value,
    secret: &str,
    repetition: Option<u8>,
) -> Option<(u16, Value)> {
    let body = event.to_string();
    let url = format!("{}/webhooks/slack/room/events", api.url);
    let mut request = reqwest::Client::new().post(url).body(body.clone());
    for (name, value) in slack_headers(secret, 0, &body) {
        request = request.header(name, value);
    }
    if let Some(number) = repetition {
        request = request.header("x-slack-retry-num", number.to_string());
        request = request.header("x-slack-retry-reason", "http_timeout");
    }
    let answer = request.send().await.ok()?;
    let status = answer.status().as_u16();
    Some((status, answer.json().await.unwrap_or_default()))
}

async fn accepted(api: &Ingest, payload: &Value) {
    assert_eq!(
        event(api, payload, SECRET, None).await,
        Some((200, json!({})))
    );
}

/// Returns the number of ephemeral messages, and the text of the last one.
fn whispered(slack: &FakeSlack) -> (usize, String) {
    let whispers = slack.whispers();
    let last = whispers.last().map(|last| last["text"].to_string());
    (whispers.len(), last.unwrap_or_default())
}

/// Creates a session that has ended. Returns it with its thread.
async fn ended_session(fleet: &Fleet, api: &Ingest, slack: &FakeSlack) -> (Uuid, String) {
    let session = submit(fleet, api).await;
    assert_eq!(
        decide(api, &pending_approval(api, session).await, "approve")
            .await
            .0,
        200
    );
    fleet.rows.ended(session, SOON).await;
    message(slack, scene::ANALYSIS).await;
    deliveries_ended(fleet).await;
    let thread = "select thread_ts from slack_threads where session_id = $1";
    let thread = sqlx::query_scalar(thread).bind(session);
    (session, thread.fetch_one(fleet.rows.pool()).await.unwrap())
}

async fn sole_question(fleet: &Fleet) -> Uuid {
    let id = "select session_id from alert_sessions where conversation_id is not null";
    sqlx::query_scalar(id)
        .fetch_one(fleet.rows.pool())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_by_mention_is_answered_in_its_thread() {
    let slack = FakeSlack::start(0).await;
    let hangs = Arc::new(AtomicBool::new(false));
    let fleet = fleet_with(&slack, answers_questions(&hangs)).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let (session, thread) = ended_session(&fleet, &api, &slack).await;
    let posted = slack.messages().len();

    let challenge =
        json!({"type": "url_verification", "challenge": "3eZbrw1aB", "token": "unused"});
    assert_eq!(
        event(&api, &challenge, "forged", None).await.unwrap().0,
        401
    );
    let answer = event(&api, &challenge, SECRET, None).await;
    assert_eq!(answer, Some((200, json!({"challenge": "3eZbrw1aB"}))));

    let payload = slack.mention(
        "Ev1",
        ALEX,
        Some(&thread),
        "Is a &lt; b? &amp; up, token ghp_0123456789abcdefghijABCDEFGHIJ012345",
    );
    assert_eq!(event(&api, &payload, "forged", None).await.unwrap().0, 401);
    assert_eq!(fleet.rows.count(QUESTIONS).await, 0);
    accepted(&api, &payload).await;
    assert!(whispered(&slack).1.contains("comes into this thread"));
    for repetition in [1, 2] {
        let again = event(&api, &payload, SECRET, Some(repetition)).await;
        assert_eq!(again, Some((200, json!({}))));
    }
    let question = sole_question(&fleet).await;
    fleet.rows.ended(question, SOON).await;
    let answer = message(&slack, "it is *up*").await;
    deliveries_ended(&fleet).await;
    // A late repetition, when no question runs any more, changes nothing either.
    let late = event(&api, &payload, SECRET, Some(3)).await;
    assert_eq!(late, Some((200, json!({}))));
    assert_eq!(fleet.rows.count(QUESTIONS).await, 1);
    assert_eq!(answer["thread_ts"], thread.as_str());
    let text = answer.to_string();
    assert!(
        text.contains("alex") && text.contains("Is a &lt; b? &amp; up"),
        "{text}"
    );
    assert!(
        !text.contains("<!channel>") && !text.contains("ghp_0123"),
        "{text}"
    );
    let link = format!("https://tarsy.example/dashboard/sessions/{session}");
    assert!(text.contains(&link), "{text}");
    // One mention gets one answer. No other message reports the question's start or end.
    assert_eq!(
        slack.messages().len(),
        posted + 2,
        "{:#?}",
        slack.messages()
    );
    assert_eq!(whispered(&slack).0, 1);
    let audited = "select count(*) from audit_log where action = 'session.ask' and actor = 'alex' and means = 'slack' and role = 'operator'";
    assert_eq!(fleet.rows.count(audited).await, 1);
    // The question belongs to the conversation that the session's page and the command line show.
    let url = format!("{}/api/v1/sessions/{session}/messages", api.url);
    let turns: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
    assert_eq!(turns["turns"][0]["author"], "alex", "{turns}");
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_ask_or_asks_in_vain_is_informed_once() {
    let slack = FakeSlack::start(0).await;
    let hangs = Arc::new(AtomicBool::new(true));
    let fleet = fleet_with(&slack, answers_questions(&hangs)).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let running = submit(&fleet, &api).await;
    let start = message(&slack, "started").await;
    let thread = start["ts"].as_str().unwrap().to_owned();
    deliveries_ended(&fleet).await;
    let mut whispers = 0;
    let mut is_answered = async |payload: Value, expected: &str| {
        accepted(&api, &payload).await;
        whispers += 1;
        let (many, text) = whispered(&slack);
        assert!(
            many == whispers && text.contains(expected),
            "{expected}: {many} {text}"
        );
        // Slack's repetition of the event causes no second message.
        assert_eq!(event(&api, &payload, SECRET, Some(1)).await.unwrap().0, 200);
        assert_eq!(slack.whispers().len(), whispers, "{expected}");
        let last = slack.whispers().pop().unwrap();
        assert_eq!(last["user"], payload["event"]["user"]);
        assert_eq!(last["channel"], payload["event"]["channel"]);
        assert_eq!(last["thread_ts"], payload["event"]["thread_ts"]);
    };
    let mention = |id: &str, user: &str, text: &str| slack.mention(id, user, Some(&thread), text);
    is_answered(mention("Ev1", ALEX, "why?"), "has not ended").await;
    assert_eq!(
        decide(&api, &pending_approval(&api, running).await, "approve")
            .await
            .0,
        200
    );
    fleet.rows.ended(running, SOON).await;

    is_answered(
        mention("Ev2", "U0STRANGER", "why?"),
        "`U0STRANGER` has no role",
    )
    .await;
    is_answered(
        slack.mention("Ev3", ALEX, None, "help"),
        "Mention me with a question",
    )
    .await;
    is_answered(mention("Ev4", ALEX, ""), "Mention me with a question").await;
    is_answered(
        slack.mention("Ev5", ALEX, Some("1.1"), "why?"),
        "Mention me with a question",
    )
    .await;
    is_answered(mention("Ev6", ALEX, &"x".repeat(4_001)), "at most 4000").await;
    let mut elsewhere = slack.mention("Ev7", ALEX, None, "why?");
    elsewhere["event"]["channel"] = json!("C0OTHER");
    is_answered(elsewhere, "in the threads of <#C024BE91L>").await;
    assert_eq!(fleet.rows.count(QUESTIONS).await, 0);

    is_answered(mention("Ev8", ALEX, "why?"), "comes into this thread").await;
    is_answered(mention("Ev9", ALEX, "and why?"), "is not answered yet").await;
    assert_eq!(fleet.rows.count(QUESTIONS).await, 1);
    // A user without a role is informed once per thread, and messages of a bot get no answer.
    accepted(&api, &mention("Ev10", "U0STRANGER", "please?")).await;
    let mut by_bot = mention("Ev11", ALEX, "why?");
    by_bot["event"]["bot_id"] = json!("B1");
    accepted(&api, &by_bot).await;
    assert_eq!(slack.whispers().len(), 9);

    // A cancelled question is reported as cancelled, in the thread where it was asked.
    let question = sole_question(&fleet).await;
    let cancel = format!("{}/api/v1/admin/sessions/{question}/cancel", api.url);
    let cancel = reqwest::Client::new().post(cancel);
    let cancelled = cancel.json(&json!({"reason": "a test"})).send().await;
    assert!(cancelled.unwrap().status().is_success());
    let answer = message(&slack, "No answer: cancelled by ").await;
    assert_eq!(answer["thread_ts"], thread.as_str());
    deliveries_ended(&fleet).await;
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_once_despite_crashes() {
    for point in [
        "admin.ask.before_commit",
        "admin.ask.after_commit",
        "slack.hint.before_commit",
        "slack.hint.after_commit",
        "lone.note_attempt.before_commit",
        "lone.note_attempt.after_commit",
        "a stage worker",
    ] {
        let slack = FakeSlack::start(0).await;
        let hangs = Arc::new(AtomicBool::new(true));
        let fleet = fleet_with(&slack, answers_questions(&hangs)).await;
        let (api, chain, stage) = (
            fleet.ingest().await,
            fleet.chain_worker(),
            fleet.stage_worker(),
        );
        let (_, thread) = ended_session(&fleet, &api, &slack).await;
        let payload = slack.mention("Ev1", ALEX, Some(&thread), "Is it up?");
        let posted = slack.messages().len();
        // The hint that the question is being handled is optional: it is posted once or not at all.
        let has_hint = point != "slack.hint.after_commit";

        if point.starts_with("admin.") || point.starts_with("slack.") {
            let armed = fleet.program("ingest-api").env("TARSY_CRASH_AT", point);
            let doomed = fleet.ingest_with(armed).await;
            assert_eq!(
                event(&doomed, &payload, SECRET, None).await,
                None,
                "{point}"
            );
            let status = doomed.process.ended(SOON).await;
            assert_eq!(status.signal(), Some(9), "{point}: {status}");
        }
        // Slack repeats an event without a response.
        let again = event(&api, &payload, SECRET, Some(1)).await;
        assert_eq!(again, Some((200, json!({}))), "{point}");
        let question = sole_question(&fleet).await;
        let holder = fleet.rows.holder(question, SOON).await;
        let mut workers = Vec::new();
        if point.starts_with("lone.") {
            chain.terminate();
            chain.ended(SOON).await;
            let armed = fleet.program("chain-worker").env("TARSY_CRASH_AT", point);
            let armed = armed.start().unwrap();
            hangs.store(false, Ordering::SeqCst);
            // The call of the first worker hangs, so another worker makes it again.
            stage.kill();
            workers.push(fleet.stage_worker());
            let status = armed.ended(SOON).await;
            assert_eq!(status.signal(), Some(9), "{point}: {status}");
            workers.push(fleet.chain_worker());
        } else {
            assert_eq!(holder, stage.id(), "{point}");
            hangs.store(false, Ordering::SeqCst);
            stage.kill();
            workers.push(fleet.stage_worker());
        }

        fleet.rows.ended(question, SOON).await;
        let answer = message(&slack, "it is *up*").await;
        wait::until("the answer to be noted", SOON, async || {
            let noted = "select count(*) from webhook_deliveries where event = 'question.answered' and state = 'delivered' and attempts = 1";
            fleet.rows.count(noted).await == 1
        })
        .await;
        deliveries_ended(&fleet).await;
        assert_eq!(answer["thread_ts"], thread.as_str(), "{point}");
        assert_eq!(
            slack.messages().len(),
            posted + 1,
            "{point}: {:#?}",
            slack.messages()
        );
        assert_eq!(slack.whispers().len(), usize::from(has_hint), "{point}");
        assert_eq!(fleet.rows.count(QUESTIONS).await, 1, "{point}");
        fleet.assert_sound_after(point).await;
    }
}
