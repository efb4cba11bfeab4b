//! Series of metrics: the model reads them in shortened form, the points stay searchable, and an answer may use
//! figures of either.

use serde_json::{Value, json};
use tarsy_agent::{Agent, AnswerEvidence, Task, Transcript};
use tarsy_model::{IterationStrategy, SessionVerdict};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fakes::*;

/// Error rate of a service: 0.0125 until the 300th point, then 0.8375, except for the 450th point.
fn matrix() -> String {
    let value = |at: usize| match at {
        450 => "0.9421",
        at if at < 300 => "0.0125",
        _ => "0.8375",
    };
    let points: Vec<Value> = (0..600)
        .map(|at| json!([1_795_867_200 + 15 * at, value(at)]))
        .collect();
    json!({"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {"service": "ledger-api"}, "values": points}]}}).to_string()
}

fn metrics() -> FakeTools {
    let mut tools = FakeTools::new();
    tools.answer = Box::new(|_| matrix());
    tools
}

#[tokio::test(start_paused = true)]
async fn a_range_of_metrics_is_told_by_its_shape_and_its_points_stay_searchable() {
    for strategy in [IterationStrategy::React, IterationStrategy::Regular] {
        let call = |tool: &str, arguments: Value| match strategy {
            IterationStrategy::Regular => native(&[(&tool.replace('.', "__"), arguments)]),
            _ => act(tool, &arguments),
        };
        let model = FakeModel::turns(vec![
            call("k8s.pods_list", json!({})),
            call(
                "tarsy.search_result",
                json!({"result": 2, "jq": ".data.result[0].values[299:301]"}),
            ),
            call("tarsy.read_page", json!({"result": 2, "page": 1})),
            said("Final Answer: errors"),
        ]);
        let recorder = MemoryRecorder::default();
        let end = run(
            &brief(strategy),
            &model,
            &metrics(),
            &recorder,
            Transcript::default(),
        )
        .await;
        end.expect("an outcome");
        let asked = model.asked();
        let told = |question: usize| {
            asked[question]
                .messages
                .last()
                .expect("a message")
                .content
                .clone()
        };
        assert!(
            told(1).contains(
                "- {service=\"ledger-api\"}: 600 points, min 0.0125 at 12:00:00Z, max 0.9421 at 13:52:30Z, last 0.8375; changes at \
                 13:15:00Z from 0.0125 to 0.8375"
            ),
            "{}",
            told(1)
        );
        assert!(
            told(1).len() < 2_000,
            "in place of {} bytes",
            matrix().len()
        );
        assert!(
            told(2).contains("\"0.0125\"") && told(2).contains("\"0.8375\""),
            "{}",
            told(2)
        );
        assert!(
            told(3).contains("[1795867200,\"0.0125\"],[1795867215,"),
            "{}",
            told(3)
        );
        let kept = &recorder.tool_calls()[0];
        let kept = kept.result.as_ref().expect("a result").tool_result.as_ref();
        assert_eq!(kept, Some(&json!(matrix())), "the record keeps the points");
    }
}

async fn verdict_on(answer: &str) -> (SessionVerdict, Vec<String>) {
    let model = FakeModel::turns(vec![
        act("k8s.pods_list", &json!({})),
        said(format!("Final Answer: {answer}")),
    ]);
    let (tools, recorder, brief) = (
        metrics(),
        MemoryRecorder::default(),
        brief(IterationStrategy::React),
    );
    let agent = Agent {
        model: &model,
        summarizer: None,
        tools: &tools,
        recorder: &recorder,
    };
    let deadline = Instant::now() + STAGE;
    let end = agent
        .run(
            Task::Investigate,
            &brief,
            Transcript::default(),
            deadline,
            &CancellationToken::new(),
        )
        .await;
    let (outcome, transcript) = end.expect("an outcome");
    let check =
        AnswerEvidence::new(&transcript, &brief).check(analysis(&outcome), output(&outcome));
    (check.verdict, check.not_found)
}

#[tokio::test(start_paused = true)]
async fn figures_of_the_shape_and_of_the_points_are_both_evidence() {
    for answer in [
        "Errors of `ledger-api` rose from 0.0125 to 0.8375 at 13:15 UTC, with a maximum of 0.9421 at 13:52:30 UTC.",
        "Errors of `ledger-api` were 0.0125 at 12:00:15 UTC.",
        "All 600 points of `ledger-api` lie between 0.0125 and 0.9421.",
    ] {
        assert_eq!(
            verdict_on(answer).await,
            (SessionVerdict::Supported, vec![]),
            "{answer}"
        );
    }
    let (verdict, missing) =
        verdict_on("Errors of `ledger-api` rose from 0.0125 to 0.6612 at 11:15 UTC.").await;
    assert_eq!(verdict, SessionVerdict::PartlySupported);
    assert_eq!(missing, ["11:15", "0.6612"]);
}

/// Stages after a collecting stage read the shortened form too.
#[tokio::test(start_paused = true)]
async fn collected_data_is_shaped() {
    let model = FakeModel::turns(vec![
        act("k8s.pods_list", &json!({})),
        said("Final Answer: all collected"),
    ]);
    let recorder = MemoryRecorder::default();
    let brief = brief(IterationStrategy::ReactTools);
    let end = run(&brief, &model, &metrics(), &recorder, Transcript::default())
        .await
        .expect("an outcome");
    let result = output(&end)["result"].as_str().expect("a text");
    assert!(
        result.contains("max 0.9421 at 13:52:30Z") && result.len() < 1_500,
        "{result}"
    );
}
