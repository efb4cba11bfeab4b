//! What each strategy asks, shows to the model, and hands on.

use serde_json::json;
use tarsy_agent::{StageOutcome, Transcript};
use tarsy_llm::ChatRequest;
use tarsy_model::{IterationStrategy, PreviousStage, StageStatus};

use crate::fakes::*;

pub(crate) async fn outcome_of(strategy: IterationStrategy, model: &FakeModel) -> StageOutcome {
    let recorder = MemoryRecorder::default();
    run(
        &brief(strategy),
        model,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await
    .expect("an outcome")
}

pub(crate) fn one_call() -> FakeModel {
    FakeModel::turns(vec![
        act("k8s.pods_list", &json!({"n": 1})),
        said("Thought: t\nFinal Answer: The quota."),
    ])
}

#[tokio::test(start_paused = true)]
async fn react_and_react_stage_conclude_with_the_models_words() {
    for strategy in [IterationStrategy::React, IterationStrategy::ReactStage] {
        let outcome = outcome_of(strategy, &one_call()).await;
        assert_eq!(analysis(&outcome), "The quota.");
        let output = output(&outcome);
        assert_eq!(output["result"], "The quota.");
        assert_eq!(output["strategy"], strategy.as_str());
        assert_eq!(output["usage"]["input_tokens"], 200);
        assert_eq!(output["cost"]["completeness"], "complete");
    }
}

#[tokio::test(start_paused = true)]
async fn react_tools_hands_on_data_and_no_analysis() {
    let outcome = outcome_of(IterationStrategy::ReactTools, &one_call()).await;
    assert!(matches!(
        &outcome,
        StageOutcome::Completed { analysis: None, .. }
    ));
    assert!(
        output(&outcome)["result"]
            .as_str()
            .is_some_and(|r| r.contains("pods_list says {\"n\":1}"))
    );
}

#[tokio::test(start_paused = true)]
async fn react_tools_at_its_limit_ends_without_another_question() {
    let model =
        FakeModel::new(|r: &ChatRequest| act("k8s.pods_list", &json!({"n": r.assistant_turns()})));
    let outcome = outcome_of(IterationStrategy::ReactTools, &model).await;
    assert_eq!(model.asked().len(), 10);
    assert_eq!(output(&outcome)["limit_reached"], "iterations");
}

#[tokio::test(start_paused = true)]
async fn react_tools_partial_hands_on_both() {
    let outcome = outcome_of(IterationStrategy::ReactToolsPartial, &one_call()).await;
    assert_eq!(analysis(&outcome), "The quota.");
    let result = output(&outcome)["result"]
        .as_str()
        .expect("text")
        .to_owned();
    assert!(
        result.starts_with("The quota.") && result.contains("pods_list says"),
        "{result}"
    );
}

#[tokio::test(start_paused = true)]
async fn final_analysis_is_one_question_without_tools_over_all_stages() {
    let mut brief = brief(IterationStrategy::ReactFinalAnalysis);
    let stage = |name: &str, status, output, error: Option<&str>| PreviousStage {
        stage_name: name.into(),
        stage_index: 0,
        agent: "a".into(),
        status,
        output,
        error: error.map(str::to_owned),
    };
    brief.data.stage_outputs = vec![
        stage(
            "collect",
            StageStatus::Completed,
            Some(json!({"result": "the quota is full"})),
            None,
        ),
        stage(
            "logs",
            StageStatus::Failed,
            None,
            Some("the log server was down"),
        ),
    ];
    let model = FakeModel::turns(vec![said("# Report\nFull quota.")]);
    let (tools, recorder) = (FakeTools::new(), MemoryRecorder::default());
    let outcome = run(&brief, &model, &tools, &recorder, Transcript::default())
        .await
        .expect("an outcome");
    assert_eq!(analysis(&outcome), "# Report\nFull quota.");
    let asked = model.asked();
    assert_eq!((asked.len(), recorder.records().len()), (1, 1));
    let question = &asked[0].messages[1].content;
    assert!(question.contains("the quota is full") && question.contains("the log server was down"));
    assert!(asked[0].tools.is_empty() && !question.contains("Available Tools"));
}

#[tokio::test(start_paused = true)]
async fn regular_uses_native_tools_side_by_side() {
    let model = FakeModel::turns(vec![
        native(&[
            ("k8s__pods_list", json!({})),
            ("k8s__events_list", json!({})),
        ]),
        said("The quota."),
    ]);
    let mut tools = FakeTools::new();
    tools.takes = std::time::Duration::from_secs(5);
    let started = tokio::time::Instant::now();
    let recorder = MemoryRecorder::default();
    let brief = brief(IterationStrategy::Regular);
    let outcome = run(&brief, &model, &tools, &recorder, Transcript::default())
        .await
        .expect("an outcome");
    assert_eq!(analysis(&outcome), "The quota.");
    assert_eq!(
        started.elapsed().as_secs(),
        5,
        "one after the other would take 10 s"
    );
    let asked = model.asked();
    // Three tools of the server, and the two built-in tools for pages and searches of long results.
    assert_eq!(asked[0].tools.len(), 5);
    let ids: Vec<_> = asked[1]
        .messages
        .iter()
        .filter_map(|m| m.tool_call_id.as_deref())
        .collect();
    assert_eq!(ids, ["c0", "c1"]);
}

#[tokio::test(start_paused = true)]
async fn the_prompt_has_three_tiers_the_alert_the_runbook_and_the_tools() {
    let model = one_call();
    outcome_of(IterationStrategy::React, &model).await;
    let asked = model.asked();
    let (system, question) = (&asked[0].messages[0].content, &asked[0].messages[1].content);
    let at = |text: &str| {
        system
            .find(text)
            .unwrap_or_else(|| panic!("no `{text}` in the system message"))
    };
    assert!(
        at("General Instructions") < at("Instructions for k8s")
            && at("Use namespaces.") < at("Be brief.")
    );
    assert!(system.contains("Untrusted data"));
    for part in [
        "RUNBOOK START",
        "Look at the finalizers",
        "superman-dev",
        "- k8s.pods_list: does pods_list",
        "**environment**: not stated",
        "The current time is 2023-11-14T22:23:20Z. The alert is from 2023-11-14T22:13:20Z.",
    ] {
        assert!(question.contains(part), "no `{part}`");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_in_text_ends_with_the_first_step() {
    for (strategy, asks) in [
        (IterationStrategy::React, true),
        (IterationStrategy::ReactStage, true),
        (IterationStrategy::ReactTools, true),
        (IterationStrategy::ReactToolsPartial, true),
        (IterationStrategy::ReactFinalAnalysis, false),
        (IterationStrategy::Regular, false),
    ] {
        let model = one_call();
        outcome_of(strategy, &model).await;
        let question = &model.asked()[0].messages[1].content;
        assert_eq!(
            question.ends_with("one action, in the form that *How to reply* shows."),
            asks,
            "{strategy:?}: {question}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_malformed_reply_is_corrected_within_the_iterations() {
    let model = FakeModel::turns(vec![
        said("I will look at the pods."),
        act("k8s.pods_list", &json!({})),
        said("Final Answer: ok"),
    ]);
    let outcome = outcome_of(IterationStrategy::React, &model).await;
    assert_eq!(output(&outcome)["iterations"], 3);
    assert!(
        model.asked()[1].messages[3]
            .content
            .contains("no section named Thought")
    );
}

#[tokio::test(start_paused = true)]
async fn steps_have_descriptions_for_people() {
    let recorder = MemoryRecorder::default();
    let brief = brief(IterationStrategy::React);
    run(
        &brief,
        &one_call(),
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await
    .expect("an outcome");
    let steps: Vec<String> = recorder
        .records()
        .into_iter()
        .map(|r| match r {
            tarsy_model::RecordedInteraction::Llm(l) => l.intent.step_description,
            tarsy_model::RecordedInteraction::Mcp(m) => m.intent.step_description,
        })
        .collect();
    assert_eq!(
        steps,
        [
            "k8s: list tools",
            "Iteration 1: ask model",
            "k8s.pods_list",
            "Iteration 2: ask model"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_written_in_place_of_a_native_one_is_made() {
    for written in [
        r#"{"name": "k8s__pods_list", "arguments": {"n": 1}}"#,
        "```json\n{\"name\": \"k8s__pods_list\", \"arguments\": {\"n\": 1}}\n```",
        r#"<tool_call>{"name": "k8s.pods_list", "arguments": {"n": 1}}</tool_call>"#,
        r#"I look at the pods. {"name": "k8s__pods_list", "parameters": {"n": 1}}"#,
        "Action: k8s.pods_list\nAction Input: {\"n\": 1}",
    ] {
        let recorder = MemoryRecorder::default();
        let model = FakeModel::turns(vec![said(written), said("The quota.")]);
        let outcome = run(
            &brief(IterationStrategy::Regular),
            &model,
            &FakeTools::new(),
            &recorder,
            Transcript::default(),
        )
        .await;
        assert_eq!(
            analysis(&outcome.expect("an outcome")),
            "The quota.",
            "{written}"
        );
        let calls = recorder.tool_calls();
        assert_eq!(calls.len(), 1, "{written}");
        assert_eq!(
            calls[0].intent.tool_arguments,
            Some(json!({"n": 1})),
            "{written}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_report_that_quotes_a_call_is_a_report() {
    let report = "## Cause\nThe quota.\n## Evidence\n{\"name\": \"k8s__pods_list\", \"arguments\": {\"n\": 1}}";
    for text in [report, r#"{"name": "ledger-0", "arguments": {"n": 1}}"#] {
        let outcome = outcome_of(
            IterationStrategy::Regular,
            &FakeModel::turns(vec![said(text)]),
        )
        .await;
        assert_eq!(analysis(&outcome), text);
    }
}
