//! Questions about ended sessions, answered by a fleet.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use uuid::Uuid;

use crate::command_line::tarsy;

const QUESTION: &str = "# Follow-up Question";

/// A model that calls one tool and then answers. Its second call hangs while `hangs` is set.
fn answers_questions(
    hangs: &Arc<AtomicBool>,
) -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static {
    let hangs = Arc::clone(hangs);
    move |request| match request.assistant_turns() {
        _ if !request.contains(QUESTION) => scene::play(request),
        0 => Behaviour::text(
            "Thought: I look again.\nAction: ledger.read_status\nAction Input: {\"service\": \"checkout\"}",
        ),
        _ if hangs.swap(false, Ordering::SeqCst) => Behaviour::Hang,
        _ => Behaviour::text("Final Answer: it is up"),
    }
}

async fn ask(ingest: &Ingest, session: Uuid, text: &str) -> Uuid {
    let url = format!("{}/api/v1/sessions/{session}/messages", ingest.url);
    let request = reqwest::Client::new()
        .post(url)
        .json(&json!({"text": text}));
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    let id = answer["session_id"].as_str();
    id.unwrap_or_else(|| panic!("{answer}")).parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_in_an_answer_buys_nothing_twice_and_the_next_asks_the_same() {
    let hangs = Arc::new(AtomicBool::new(true));
    let fleet = Fleet::new(answers_questions(&hangs)).await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let workers = [fleet.stage_worker(), fleet.stage_worker()];
    fleet.workers(3).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    fleet.rows.ended(session, SOON).await;
    let before = fleet.llm.count();

    let question = ask(&ingest, session, "Is checkout up now?").await;
    wait::until("the second question", SOON, async || {
        fleet.llm.count() == before + 2
    })
    .await;
    let holder = fleet.rows.holder(question, SOON).await;
    let victim = workers.iter().find(|worker| worker.id() == holder).unwrap();
    victim.kill();

    let ended = fleet.rows.ended(question, SOON).await;
    assert_eq!(ended.final_analysis.as_deref(), Some("it is up"));
    fleet.assert_sound().await;
    let requests = fleet.llm.requests().split_off(before);
    let [first, lost, again] = &requests[..] else {
        panic!("{} questions to the model", requests.len());
    };
    assert_eq!(lost.fingerprint, again.fingerprint, "the same prompt");
    assert!(first.contains(scene::ANALYSIS) && first.contains("Is checkout up now?"));
    assert!(
        first.contains("`ledger.read_status"),
        "the evidence of the session: {:?}",
        first.body
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_asked_on_the_command_line_and_the_next_knows_it() {
    let hangs = Arc::new(AtomicBool::new(false));
    let fleet = Fleet::new(answers_questions(&hangs)).await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    fleet.rows.ended(session, SOON).await;
    let output = tarsy(&ingest.url, &format!("ask {session} earlier?")).await;
    output.prints("it is up");
    output.prints("ledger.read_status");
    output.prints("1 tool calls");
    let turn = tarsy(&ingest.url, &format!("ask {session} later? --json")).await;
    let turn = turn.json();
    assert_eq!(
        (&turn["question"], &turn["status"]),
        (&json!("later?"), &json!("completed"))
    );
    let last = fleet.llm.requests().pop().unwrap();
    assert!(last.contains("EARLIER QUESTION") && last.contains("earlier?"));
    let url = ingest.url.as_str();
    tarsy(url, &format!("ask {} why?", Uuid::nil()))
        .await
        .fails_with_error("session_not_found");
}
