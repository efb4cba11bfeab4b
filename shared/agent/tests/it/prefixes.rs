//! Providers cache the beginning of a request, so each question must begin with the whole previous question.

use serde_json::{Value, json};
use tarsy_agent::Transcript;
use tarsy_llm::ChatRequest;
use tarsy_model::{IterationStrategy, RecordedInteraction};

use crate::fakes::*;

const ITERATIONS: usize = 10;

const STRATEGIES: [IterationStrategy; 5] = [
    IterationStrategy::React,
    IterationStrategy::ReactStage,
    IterationStrategy::ReactTools,
    IterationStrategy::ReactToolsPartial,
    IterationStrategy::Regular,
];

/// Ten different calls, the second with a long result, then the end.
fn model(strategy: IterationStrategy) -> FakeModel {
    FakeModel::new(move |request| {
        let turn = request.assistant_turns();
        let input = json!({"zone": "a", "big": turn == 1, "n": turn});
        match strategy {
            _ if turn >= ITERATIONS - 1 => said("Thought: done\nFinal Answer: The disk is full."),
            IterationStrategy::Regular => native(&[("k8s__pods_list", input)]),
            _ => act("k8s.pods_list", &input),
        }
    })
}

fn tools() -> FakeTools {
    let mut tools = FakeTools::new();
    tools.answer = Box::new(|call| {
        let lines = if call.arguments["big"] == true {
            8_000
        } else {
            40
        };
        "a line of what the tool found\n".repeat(lines)
    });
    tools
}

fn begins_with(later: &ChatRequest, earlier: &ChatRequest) {
    assert_eq!(
        json!(later.tools).to_string(),
        json!(earlier.tools).to_string()
    );
    assert!(later.messages.len() > earlier.messages.len());
    for (now, then) in later.messages.iter().zip(&earlier.messages) {
        assert_eq!(json!(now).to_string(), json!(then).to_string());
    }
}

fn size(request: &ChatRequest) -> usize {
    json!([request.tools, request.messages]).to_string().len()
}

#[tokio::test(start_paused = true)]
async fn each_question_begins_with_the_one_before() {
    for strategy in STRATEGIES {
        let (brief, model) = (brief(strategy), model(strategy));
        let recorder = MemoryRecorder::default();
        run(&brief, &model, &tools(), &recorder, Transcript::default())
            .await
            .expect("a stage");
        let asked = model.asked();
        assert_eq!(asked.len(), ITERATIONS, "{strategy}");
        let (mut cached, mut total) = (0, size(&asked[0]));
        for pair in asked.windows(2) {
            begins_with(&pair[1], &pair[0]);
            cached += size(&pair[0]);
            total += size(&pair[1]);
        }
        assert!(
            cached * 100 / total >= 80,
            "{strategy}: {cached} of {total}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_resumed_stage_asks_with_the_same_beginning() {
    for strategy in STRATEGIES {
        let (brief, model) = (brief(strategy), model(strategy));
        let recorder = MemoryRecorder {
            lost_after: Some(14),
            ..MemoryRecorder::default()
        };
        run(&brief, &model, &tools(), &recorder, Transcript::default())
            .await
            .expect_err("the claim was lost");
        let before = model.asked();
        let rows = recorder.records().into_iter().map(from_database).collect();
        let recorder = MemoryRecorder::default();
        run(
            &brief,
            &model,
            &tools(),
            &recorder,
            Transcript::from_records(rows),
        )
        .await
        .expect("a stage");
        let after = &model.asked()[before.len()..];
        let earlier = &before[before.len() - 2];
        begins_with(after.last().expect("a question"), earlier);
    }
}

/// Reorders the keys, because `jsonb` stores them in its own order.
fn from_database(row: RecordedInteraction) -> RecordedInteraction {
    match row {
        RecordedInteraction::Llm(mut llm) => {
            if let Some(result) = &mut llm.result {
                result.tool_calls = result.tool_calls.as_ref().map(reversed);
            }
            RecordedInteraction::Llm(llm)
        }
        RecordedInteraction::Mcp(mut mcp) => {
            if let Some(result) = &mut mcp.result {
                result.available_tools = result.available_tools.as_ref().map(reversed);
            }
            RecordedInteraction::Mcp(mcp)
        }
    }
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .rev()
            .map(|(key, value)| (key.clone(), reversed(value)))
            .collect(),
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

#[tokio::test(start_paused = true)]
async fn tools_and_runbook_are_sent_once() {
    for strategy in STRATEGIES {
        let (brief, model) = (brief(strategy), model(strategy));
        let recorder = MemoryRecorder::default();
        run(&brief, &model, &tools(), &recorder, Transcript::default())
            .await
            .expect("a stage");
        let first = json!([model.asked()[0].tools, model.asked()[0].messages]).to_string();
        for once in ["does events_list", "1. Look at the finalizers."] {
            assert_eq!(first.matches(once).count(), 1, "{strategy}: {once}");
        }
    }
}
