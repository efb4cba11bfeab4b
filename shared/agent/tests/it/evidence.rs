//! An agent must have evidence before it concludes.

use serde_json::json;
use tarsy_agent::{AgentBrief, ModelAnswer, StageOutcome, Transcript};
use tarsy_model::{AgentLimits, FollowUp, IterationStrategy, PreviousStage, StageStatus};

use crate::fakes::*;

const TOLD: &str = "Observation: No tool call has succeeded so far";

/// Runs a stage. Returns its outcome, the number of questions, and how often the model was sent back to look first.
async fn ended(
    brief: &AgentBrief,
    answers: Vec<ModelAnswer>,
    tools: &FakeTools,
) -> (StageOutcome, usize, usize) {
    let model = FakeModel::turns(answers);
    let recorder = MemoryRecorder::default();
    let end = run(brief, &model, tools, &recorder, Transcript::default()).await;
    let asked = model.asked();
    let last = asked.last().expect("a question");
    let told = last
        .messages
        .iter()
        .filter(|message| message.content.starts_with(TOLD));
    (end.expect("an outcome"), asked.len(), told.count())
}

fn at_once() -> Vec<ModelAnswer> {
    vec![said("Final Answer: the quota")]
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_concludes_without_a_look_is_told_once_and_then_believed() {
    for &strategy in IterationStrategy::ALL {
        let (end, asked, told) = ended(&brief(strategy), at_once(), &FakeTools::new()).await;
        let expected = if strategy.uses_tools() {
            (2, 1)
        } else {
            (1, 0)
        };
        assert_eq!((asked, told), expected, "{strategy}");
        let result = output(&end)["result"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(result.contains("the quota"), "{strategy}: {result}");
        assert_eq!(output(&end)["data_points"], 0);
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_looks_then_is_not_told_again() {
    let look = act("k8s.pods_list", &json!({}));
    let answers = vec![
        said("Final Answer: a guess"),
        look,
        said("Final Answer: the quota"),
    ];
    let (end, asked, told) =
        ended(&brief(IterationStrategy::React), answers, &FakeTools::new()).await;
    assert_eq!((analysis(&end), asked, told), ("the quota", 3, 1));
    assert_eq!(output(&end)["data_points"], 1);
}

#[tokio::test(start_paused = true)]
async fn who_can_not_look_or_need_not_is_not_told() {
    let earlier = |status, output| PreviousStage {
        stage_name: "collect".into(),
        stage_index: 0,
        agent: "a".into(),
        status,
        output: Some(output),
        error: None,
    };
    let plain = || brief(IterationStrategy::React);
    let after = |stage| {
        let mut brief = plain();
        brief.data.stage_outputs = vec![stage];
        brief
    };
    let follow_up = FollowUp {
        question: "Why?".into(),
        conclusion: None,
        failures: Vec::new(),
        evidence: Vec::new(),
        turns: Vec::new(),
    };
    let completed = StageStatus::Completed;
    for (what, brief, questions) in [
        (
            "a follow-up question",
            AgentBrief {
                follow_up: Some(follow_up),
                ..plain()
            },
            1,
        ),
        (
            "a task of another agent",
            AgentBrief {
                task: Some("look".into()),
                ..plain()
            },
            1,
        ),
        (
            "a stage after one with results",
            after(earlier(completed, json!({"result": "r", "data_points": 2}))),
            1,
        ),
        (
            "a stage after a tool",
            after(earlier(completed, json!({"result": "r"}))),
            1,
        ),
        (
            "a stage after one without results",
            after(earlier(completed, json!({"result": "r", "data_points": 0}))),
            2,
        ),
        (
            "a stage after one that failed",
            after(earlier(StageStatus::Failed, json!(null))),
            2,
        ),
        (
            "the last iteration",
            AgentBrief {
                limits: AgentLimits {
                    max_iterations: 1,
                    ..AgentLimits::default()
                },
                ..plain()
            },
            1,
        ),
        (
            "no call allowed",
            AgentBrief {
                limits: AgentLimits {
                    max_tool_calls: 0,
                    ..AgentLimits::default()
                },
                ..plain()
            },
            1,
        ),
    ] {
        let (end, asked, _) = ended(&brief, at_once(), &FakeTools::new()).await;
        assert_eq!((analysis(&end), asked), ("the quota", questions), "{what}");
    }
    let without = FakeTools {
        offers: Vec::new(),
        ..FakeTools::new()
    };
    let (_, asked, told) = ended(&plain(), at_once(), &without).await;
    assert_eq!((asked, told), (1, 0), "no tools");
}

/// A refused call gives no evidence.
#[tokio::test(start_paused = true)]
async fn a_call_that_did_not_succeed_is_no_evidence() {
    let answers = vec![
        act("no_such_tool", &json!({})),
        said("Final Answer: the quota"),
    ];
    let (_, asked, told) =
        ended(&brief(IterationStrategy::React), answers, &FakeTools::new()).await;
    assert_eq!((asked, told), (3, 1));
}
