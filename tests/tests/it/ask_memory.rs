//! Long conversations with the knowledge store: turns that no longer fit are summarised, only once.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Ingest, SOON};
use uuid::Uuid;

use crate::ask_knowledge::{REWRITING, ROUTING, answer, evidence_ids, fleet, id, post};

const SUMMARIZING: &str = "Summarize the beginning of a conversation";
/// Summary of the first turns by the fake model.
const SUMMARY: &str = "They asked about case one, which is about power.";

/// A model whose answers are so long that four turns do not fit. With `hangs`, a summary hangs; with `fails`, one
/// fails.
fn model(
    hangs: Arc<AtomicBool>,
    fails: Arc<AtomicBool>,
) -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static {
    move |request| {
        let reply = match () {
            () if request.contains(SUMMARIZING) => {
                if hangs.swap(false, Ordering::SeqCst) {
                    return Behaviour::Hang;
                }
                match fails.load(Ordering::SeqCst) {
                    true => json!("not what was asked for"),
                    false => json!({"summary": SUMMARY}),
                }
            }
            () if request.contains(ROUTING) => {
                json!({"intent": "find", "route": ["retrieval"], "statement": null, "steps": []})
            }
            () if request.contains(REWRITING) => json!({"search_query": "tc-10000 power"}),
            () => {
                let ids = evidence_ids(request);
                let text = format!("{} [{}].", "So it is. ".repeat(180), ids[0]);
                json!({"answer": text, "citations": [ids[0]]})
            }
        };
        Behaviour::text(reply.to_string())
    }
}

async fn ask(fleet: &Fleet, ingest: &Ingest, question: &str, conversation: Option<Uuid>) -> Uuid {
    let body = json!({"question": question, "conversation": conversation});
    let (status, accepted) = post(ingest, body).await;
    assert_eq!(status, 202, "{accepted}");
    let session = id(&accepted, "session_id");
    let answered = answer(fleet, ingest, session).await;
    assert_eq!(answered["supported"], true, "{answered}");
    session
}

/// Returns the requests whose prompt contains a text.
fn requests_with<'r>(requests: &'r [SeenRequest], part: &str) -> Vec<&'r SeenRequest> {
    let with = |request: &&SeenRequest| request.contains(part);
    requests.iter().filter(with).collect()
}

async fn data(fleet: &Fleet, session: Uuid) -> Value {
    sqlx::query_scalar("select alert_data from alert_sessions where session_id = $1")
        .bind(session)
        .fetch_one(fleet.rows.pool())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_conversation_is_summarised_once_despite_crashes() {
    let (hangs, fails) = (
        Arc::new(AtomicBool::new(true)),
        Arc::new(AtomicBool::new(false)),
    );
    let fleet = fleet(model(Arc::clone(&hangs), Arc::clone(&fails))).await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let workers = [fleet.stage_worker(), fleet.stage_worker()];
    fleet.workers(3).await;

    // Three turns fit.
    let first = ask(&fleet, &ingest, "case one?", None).await;
    for question in ["case two?", "case three?"] {
        ask(&fleet, &ingest, question, Some(first)).await;
    }
    ask(&fleet, &ingest, "case four?", Some(first)).await;
    assert!(requests_with(&fleet.llm.requests(), SUMMARIZING).is_empty());

    // Four turns do not fit, so the older ones are summarised, by a worker that is still alive.
    let before = fleet.llm.requests().len();
    let body = json!({"question": "case five?", "conversation": first});
    let (_, accepted) = post(&ingest, body).await;
    let fifth = id(&accepted, "session_id");
    wait::until("the summary to be asked for", SOON, async || {
        !hangs.load(Ordering::SeqCst)
    })
    .await;
    let holder = fleet.rows.holder(fifth, SOON).await;
    let victim = workers.iter().find(|worker| worker.id() == holder).unwrap();
    victim.kill();
    let answered = answer(&fleet, &ingest, fifth).await;
    assert_eq!(answered["supported"], true, "{answered}");
    let requests = fleet.llm.requests().split_off(before);
    let summaries = requests_with(&requests, SUMMARIZING);
    let [lost, again] = &summaries[..] else {
        panic!("{} summaries", summaries.len());
    };
    assert_eq!(lost.fingerprint, again.fingerprint, "the same prompt");
    assert_eq!(again.model, "fake-small");
    for turn in ["case one?", "case two?", "case three?"] {
        assert!(again.contains(turn), "{turn}");
    }
    assert!(!again.contains("case four?"));
    // The prompt has the summary in place of the summarised turns, and the newest turn unchanged.
    let routed = requests_with(&requests, ROUTING);
    assert!(routed[0].contains(SUMMARY) && routed[0].contains("case four?"));
    assert!(!routed[0].contains("case three?"));

    // Then there is room again, so the next question reuses the recorded summary.
    let before = fleet.llm.requests().len();
    let sixth = ask(&fleet, &ingest, "case six?", Some(first)).await;
    let requests = fleet.llm.requests().split_off(before);
    assert!(requests_with(&requests, SUMMARIZING).is_empty());
    let routed = requests_with(&requests, ROUTING);
    assert!(routed[0].contains(SUMMARY) && routed[0].contains("case five?"));
    let kept = data(&fleet, sixth).await;
    assert_eq!(
        (&kept["summary"], kept["history"].as_array().map(Vec::len)),
        (&json!(SUMMARY), Some(2)),
        "{kept}"
    );
    fleet.assert_sound().await;

    // A failed summary does not prevent an answer. Its turns are summarised with the next question.
    fails.store(true, Ordering::SeqCst);
    ask(&fleet, &ingest, "case seven?", Some(first)).await;
    let eighth = ask(&fleet, &ingest, "case eight?", Some(first)).await;
    let failed = "select count(*) from stage_executions where stage_name = 'memory-summary' and status = 'failed'";
    assert_eq!(fleet.rows.count(failed).await, 1);
    let wanted = data(&fleet, eighth).await["summarize"]
        .as_array()
        .map(Vec::len);
    assert_eq!(wanted, Some(3));
    fails.store(false, Ordering::SeqCst);
    let before = fleet.llm.requests().len();
    let ninth = ask(&fleet, &ingest, "case nine?", Some(first)).await;
    let requests = fleet.llm.requests().split_off(before);
    let summaries = requests_with(&requests, SUMMARIZING);
    assert_eq!(summaries.len(), 1);
    assert!(summaries[0].contains(SUMMARY) && summaries[0].contains("case four?"));
    let wanted = data(&fleet, ninth).await["summarize"]
        .as_array()
        .map(Vec::len);
    assert_eq!(wanted, Some(4));
}
