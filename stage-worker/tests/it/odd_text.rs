//! Tests text that Postgres can't store unchanged.

use serde_json::json;
use tarsy_model::RecordedInteraction;
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};

use crate::bench::Bench;

fn model(request: &SeenRequest) -> Behaviour {
    match request.assistant_turns() {
        0 => Behaviour::Answer(FakeAnswer::tool_calls([
            ("demo__look", json!({"part": "core"})),
            ("demo__echo", json!({"query": "a\u{0}b"})),
        ])),
        _ => Behaviour::text("The core dump is binary."),
    }
}

#[tokio::test]
async fn a_tool_that_answers_with_nul_is_read_and_not_called_again() {
    let bench = Bench::new(model).await;
    bench.part("core", "ELF\u{0}\u{0}end");
    let ended = bench.run(json!({"host": "db-1"}), "").await;

    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    let results: Vec<_> = ended
        .records
        .iter()
        .filter_map(|record| match record {
            RecordedInteraction::Mcp(call) => call.result.as_ref()?.tool_result.clone(),
            RecordedInteraction::Llm(_) => None,
        })
        .map(|result| result.to_string())
        .collect();
    assert_eq!(results.len(), 2, "each was called once: {results:?}");
    assert!(results[0].contains("ELF\u{fffd}\u{fffd}end"), "{results:?}");
    assert!(results[1].contains("a\u{fffd}b"), "{results:?}");
}

fn misnaming(request: &SeenRequest) -> Behaviour {
    match request.assistant_turns() {
        0 => Behaviour::Answer(FakeAnswer::tool_calls([("demo__lo\u{0}ok", json!({}))])),
        _ => Behaviour::text("There is no such tool."),
    }
}

#[tokio::test]
async fn a_model_that_names_a_tool_with_nul_is_asked_once_and_gets_the_error() {
    let bench = Bench::new(misnaming).await;
    let ended = bench.run(json!({"host": "db-1"}), "").await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    let answered = bench.llm.requests().iter().filter(|r| r.answered).count();
    // The model is asked to call a tool first, because the refused call showed nothing.
    assert_eq!(answered, 3, "no answer is bought again");
}
