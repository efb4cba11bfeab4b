//! Tests the verdict in a stage's output: which parts of its answer the tool results support.

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};

use crate::bench::Bench;

const RESULT: &str = "pod checkout-7d9f8c6b54-x2kqp was OOMKilled at 14:05:33Z, limit 512Mi";

/// Calls the tool for `part`, which may not exist, if given. Then gives the answer, and returns the verdict on it.
async fn verdict(part: Option<&'static str>, answer: FakeAnswer) -> Value {
    let model = move |request: &SeenRequest| match (request.assistant_turns(), part) {
        (0, Some(part)) => Behaviour::Answer(FakeAnswer::tool_calls([(
            "demo__look",
            json!({"part": part}),
        )])),
        _ => Behaviour::Answer(answer.clone()),
    };
    let bench = Bench::new(model).await;
    bench.part("log", RESULT);
    let ended = bench
        .run(json!({"namespace": "shop"}), "Read the log.")
        .await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    ended.row["stage_output"]["verdict"].clone()
}

fn text(answer: &str) -> FakeAnswer {
    FakeAnswer {
        text: answer.to_owned(),
        ..FakeAnswer::default()
    }
}

#[tokio::test]
async fn an_answer_is_checked_against_the_results_of_its_stage() {
    let shown = "## Root cause\n\nThe limit of `checkout` in `shop`, 512 MiB, is too low: OOMKilled at 14:05 UTC.";
    let check = verdict(Some("log"), text(shown)).await;
    assert_eq!(check["verdict"], "supported", "{check}");
    assert_eq!((&check["checked"], &check["found"]), (&json!(4), &json!(4)));

    let invented = "## Root cause\n\n`payments-db-primary` refuses connections on port 5432.";
    let check = verdict(Some("log"), text(invented)).await;
    assert_eq!(check["verdict"], "unsupported", "{check}");
    assert_eq!(check["unknown_names"], json!(["payments-db-primary"]));
}

#[tokio::test]
async fn a_stage_without_a_successful_call_has_investigated_nothing() {
    let answer = text("## Root cause\n\nThe pod was OOMKilled. Confidence: high");
    let check = verdict(None, answer.clone()).await;
    assert_eq!(check["verdict"], "not_investigated", "{check}");
    assert_eq!(check["calls"], 0);
    let check = verdict(Some("nowhere"), answer).await;
    assert_eq!(check["verdict"], "not_investigated", "{check}");
}

#[tokio::test]
async fn an_answer_that_was_cut_is_marked() {
    let cut = FakeAnswer {
        cut: true,
        ..text("## Root cause\n\nThe pod was OOMKilled and then")
    };
    let check = verdict(Some("log"), cut).await;
    assert_eq!(check["answer_cut"], true, "{check}");
    let summary = check["summary"].as_str().expect("a summary");
    assert!(
        summary.ends_with("The answer was cut at the limit of tokens."),
        "{summary}"
    );
}
