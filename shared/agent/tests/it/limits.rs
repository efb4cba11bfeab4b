//! Limits at which an agent stops.

use std::time::Duration;

use serde_json::json;
use tarsy_agent::{Agent, AgentBrief, ModelAnswer, Task, Transcript};
use tarsy_llm::ChatRequest;
use tarsy_model::{AgentLimits, IterationStrategy, LlmPurpose, RecordedInteraction};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fakes::*;

fn must_conclude(request: &ChatRequest) -> bool {
    request
        .messages
        .last()
        .is_some_and(|m| m.content.contains("limit of this investigation"))
}

/// Calls a tool with new arguments every time, until it must conclude.
fn restless(request: &ChatRequest) -> ModelAnswer {
    if must_conclude(request) {
        return said("Final Answer: forced");
    }
    act("k8s.pods_list", &json!({"n": request.assistant_turns()}))
}

fn limited(limits: AgentLimits) -> AgentBrief {
    AgentBrief {
        limits,
        ..brief(IterationStrategy::React)
    }
}

async fn ends_with(brief: &AgentBrief, model: &FakeModel) -> (serde_json::Value, MemoryRecorder) {
    let recorder = MemoryRecorder::default();
    let outcome = run(
        brief,
        model,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await
    .expect("an outcome");
    (output(&outcome).clone(), recorder)
}

#[tokio::test(start_paused = true)]
async fn ten_iterations_then_a_forced_conclusion() {
    let model = FakeModel::new(restless);
    let (output, recorder) = ends_with(&limited(AgentLimits::default()), &model).await;
    assert_eq!(output["result"], "forced");
    assert_eq!(
        (&output["iterations"], &output["limit_reached"]),
        (&json!(10), &json!("iterations"))
    );
    assert_eq!(model.asked().len(), 11);
    let purposes: Vec<LlmPurpose> = recorder
        .records()
        .into_iter()
        .filter_map(|r| match r {
            RecordedInteraction::Llm(llm) => Some(llm.intent.purpose),
            RecordedInteraction::Mcp(_) => None,
        })
        .collect();
    assert_eq!(purposes.last(), Some(&LlmPurpose::ForcedConclusion));
    assert_eq!(
        purposes
            .iter()
            .filter(|p| **p == LlmPurpose::Iteration)
            .count(),
        10
    );
}

#[tokio::test(start_paused = true)]
async fn five_repeats_of_a_call_in_a_row_then_a_forced_conclusion() {
    let model = FakeModel::new(|request| match must_conclude(request) {
        true => said("Final Answer: forced"),
        false => act("k8s.pods_list", &json!({})),
    });
    let (ended, _) = ends_with(&limited(AgentLimits::default()), &model).await;
    assert_eq!(
        (&ended["iterations"], &ended["limit_reached"]),
        (&json!(6), &json!("repeats"))
    );
    let failing = FakeTools {
        error: Some("forbidden"),
        ..FakeTools::new()
    };
    let brief = limited(AgentLimits::default());
    let recorder = MemoryRecorder::default();
    let end = run(&brief, &model, &failing, &recorder, Transcript::default()).await;
    let end = end.expect("an outcome");
    let ended = output(&end);
    assert_eq!(
        (&ended["iterations"], &ended["limit_reached"]),
        (&json!(6), &json!("repeats")),
        "the same call fails for the same reason"
    );
    let model = FakeModel::new(|request| match request.assistant_turns() {
        10 => said("Final Answer: found"),
        5 => act("k8s.pods_list", &json!({"namespace": "shop"})),
        _ => act("k8s.pods_list", &json!({})),
    });
    let limits = AgentLimits {
        max_iterations: 20,
        ..AgentLimits::default()
    };
    let (output, _) = ends_with(&limited(limits), &model).await;
    assert_eq!(output["result"], "found", "a new call between them");
}

#[tokio::test(start_paused = true)]
async fn twenty_tool_calls_then_a_forced_conclusion() {
    let model = FakeModel::new(restless);
    let brief = limited(AgentLimits {
        max_iterations: 100,
        max_data_points: 100,
        ..AgentLimits::default()
    });
    let (output, recorder) = ends_with(&brief, &model).await;
    assert_eq!(
        (&output["tool_calls"], &output["limit_reached"]),
        (&json!(20), &json!("tool_calls"))
    );
    assert_eq!(recorder.tool_calls().len(), 20);
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_limit_in_one_reply_are_not_made() {
    let calls: Vec<(&str, serde_json::Value)> = (0..30)
        .map(|n| ("k8s__pods_list", json!({"n": n})))
        .collect();
    let model = FakeModel::turns(vec![native(&calls), said("done")]);
    let tools = FakeTools::new();
    let brief = brief(IterationStrategy::Regular);
    let recorder = MemoryRecorder::default();
    run(&brief, &model, &tools, &recorder, Transcript::default())
        .await
        .expect("an outcome");
    assert_eq!(tools.called().len(), 20);
    let last = model.asked().pop().expect("asked");
    assert!(
        last.forbid_tools,
        "the last question leaves no tool to call"
    );
    let answered = last
        .messages
        .iter()
        .filter(|m| m.tool_call_id.is_some())
        .count();
    assert_eq!(answered, 30, "every native call is answered");
}

#[tokio::test(start_paused = true)]
async fn enough_data_points_count_only_after_three_iterations() {
    let script = |request: &ChatRequest| {
        if must_conclude(request) {
            return said("forced");
        }
        let turn = request.assistant_turns();
        native(&[
            ("k8s__pods_list", json!({"a": turn})),
            ("k8s__events_list", json!({"a": turn})),
        ])
    };
    let model = FakeModel::new(script);
    let mut brief = brief(IterationStrategy::Regular);
    brief.limits.max_data_points = 2;
    let (output, _) = ends_with(&brief, &model).await;
    assert_eq!(
        (&output["iterations"], &output["limit_reached"]),
        (&json!(3), &json!("data_points"))
    );
    assert_eq!(output["data_points"], 6);
}

#[tokio::test(start_paused = true)]
async fn the_deadline_leaves_time_to_conclude() {
    let mut model = FakeModel::new(restless);
    model.takes = Duration::from_secs(55);
    let started = Instant::now();
    let brief = limited(AgentLimits {
        max_iterations: 100,
        ..AgentLimits::default()
    });
    let (output, _) = ends_with(&brief, &model).await;
    assert_eq!(output["limit_reached"], "time");
    assert!(started.elapsed() <= STAGE, "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_model_too_slow_to_conclude_in_time_fails_at_the_deadline() {
    let mut model = FakeModel::new(restless);
    model.takes = Duration::from_secs(100);
    let started = Instant::now();
    let recorder = MemoryRecorder::default();
    let end = run(
        &limited(AgentLimits::default()),
        &model,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await;
    assert_eq!(failure(&end.expect("an outcome")).0, "deadline");
    assert_eq!(started.elapsed(), STAGE);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_has_passed_fails_the_stage_without_a_call() {
    let (model, tools, recorder) = (
        FakeModel::new(restless),
        FakeTools::new(),
        MemoryRecorder::default(),
    );
    let agent = Agent {
        model: &model,
        summarizer: None,
        tools: &tools,
        recorder: &recorder,
    };
    let brief = limited(AgentLimits::default());
    let end = agent
        .run(
            Task::Investigate,
            &brief,
            Transcript::default(),
            Instant::now(),
            &CancellationToken::new(),
        )
        .await;
    assert_eq!(failure(&end.expect("an outcome").0).0, "deadline");
    assert!(model.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_model_that_hangs_is_given_210_seconds() {
    let mut model = FakeModel::new(restless);
    model.takes = Duration::from_secs(100_000);
    let (tools, recorder) = (FakeTools::new(), MemoryRecorder::default());
    let started = Instant::now();
    let end = run(
        &limited(AgentLimits::default()),
        &model,
        &tools,
        &recorder,
        Transcript::default(),
    )
    .await;
    assert_eq!(failure(&end.expect("an outcome")).0, "llm_timeout");
    assert_eq!(
        started.elapsed().as_secs(),
        212,
        "the limit and a grace of 2 s"
    );
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_is_given_70_seconds_and_the_model_is_told() {
    let model = FakeModel::turns(vec![
        act("k8s.pods_list", &json!({})),
        said("Final Answer: it hangs"),
    ]);
    let mut tools = FakeTools::new();
    tools.takes = Duration::from_secs(100_000);
    let started = Instant::now();
    let recorder = MemoryRecorder::default();
    let end = run(
        &limited(AgentLimits::default()),
        &model,
        &tools,
        &recorder,
        Transcript::default(),
    )
    .await;
    assert_eq!(analysis(&end.expect("an outcome")), "it hangs");
    assert_eq!(started.elapsed().as_secs(), 70);
    assert!(
        model.asked()[1].messages[3]
            .content
            .contains("no answer within 70 s")
    );
}

#[tokio::test(start_paused = true)]
async fn a_repeated_call_is_answered_from_the_transcript() {
    let again = act("pods_list", &json!({"b": 1, "a": 2}));
    let model = FakeModel::turns(vec![
        act("k8s.pods_list", &json!({"a": 2, "b": 1})),
        again,
        said("Final Answer: ok"),
    ]);
    let (tools, recorder) = (FakeTools::new(), MemoryRecorder::default());
    let outcome = run(
        &limited(AgentLimits::default()),
        &model,
        &tools,
        &recorder,
        Transcript::default(),
    )
    .await;
    assert_eq!(tools.called().len(), 1);
    let told = &model.asked()[2].messages[5].content;
    assert!(
        told.contains("it was not made again") && told.contains("pods_list says"),
        "{told}"
    );
    assert_eq!(output(&outcome.expect("an outcome"))["data_points"], 1);
}

#[tokio::test(start_paused = true)]
async fn after_a_change_the_same_reading_is_made_again() {
    let read = act("k8s.pods_list", &json!({}));
    let script = vec![
        read.clone(),
        act("k8s.pods_restart", &json!({})),
        read,
        said("Final Answer: ok"),
    ];
    let tools = FakeTools::new();
    let recorder = MemoryRecorder::default();
    run(
        &limited(AgentLimits::default()),
        &FakeModel::turns(script),
        &tools,
        &recorder,
        Transcript::default(),
    )
    .await
    .expect("an outcome");
    assert_eq!(tools.called().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_oversized_result_is_read_in_pages() {
    let text: String = (0..4_000).map(|n| format!("line {n}\n")).collect();
    let mut tools = FakeTools::new();
    let body = text.clone();
    tools.answer = Box::new(move |_| body.clone());
    let script = |request: &ChatRequest| {
        let last = request
            .messages
            .last()
            .map(|m| m.content.clone())
            .unwrap_or_default();
        let on = last
            .rsplit_once("tarsy.read_page ")
            .and_then(|(_, rest)| rest.split_once(']'));
        match (request.assistant_turns(), on) {
            (0, _) => act("k8s.pods_list", &json!({})),
            (_, Some((input, _))) => {
                said(format!("Action: tarsy.read_page\nAction Input: {input}"))
            }
            _ => said("Final Answer: read it all"),
        }
    };
    let model = FakeModel::new(script);
    let recorder = MemoryRecorder::default();
    let end = run(
        &limited(AgentLimits::default()),
        &model,
        &tools,
        &recorder,
        Transcript::default(),
    )
    .await;
    assert_eq!(analysis(&end.expect("an outcome")), "read it all");
    assert_eq!(tools.called().len(), 1);
    let asked = model.asked();
    let seen: String = asked
        .last()
        .expect("asked")
        .messages
        .iter()
        .map(|m| m.content.as_str())
        .collect();
    assert!(seen.contains("line 0\n") && seen.contains("line 3999"));
    assert!(asked[1].messages[3].content.len() < 17_000);
}

#[tokio::test(start_paused = true)]
async fn a_small_window_shortens_older_observations() {
    let mut tools = FakeTools::new();
    tools.answer = Box::new(|_| "x".repeat(9_000));
    let mut model = FakeModel::new(restless);
    model.window = 12_000;
    let recorder = MemoryRecorder::default();
    let end = run(
        &limited(AgentLimits::default()),
        &model,
        &tools,
        &recorder,
        Transcript::default(),
    )
    .await;
    assert_eq!(analysis(&end.expect("an outcome")), "forced");
    for request in model.asked() {
        let chars: usize = request
            .messages
            .iter()
            .map(|m| m.content.chars().count())
            .sum();
        assert!(chars / 4 < 11_000, "{chars}");
    }
    let last = model.asked().pop().expect("asked");
    assert!(last.messages[3].content.contains("left out here"));
    assert!(
        last.messages[3].content.contains("<<<TOOL RESULT END"),
        "the fence stays closed"
    );
}

#[tokio::test(start_paused = true)]
async fn time_for_which_records_wait_for_postgres_does_not_count() {
    let recorder = MemoryRecorder {
        takes: STAGE / 4,
        ..MemoryRecorder::default()
    };
    let brief = limited(AgentLimits {
        max_iterations: 3,
        ..AgentLimits::default()
    });
    let (model, tools) = (FakeModel::new(restless), FakeTools::new());
    let ran = run(&brief, &model, &tools, &recorder, Transcript::default()).await;
    let outcome = ran.expect("an outcome");
    assert_eq!(output(&outcome)["limit_reached"], "iterations");
    assert_eq!(model.asked().len(), 4, "nothing is cut short");
}
