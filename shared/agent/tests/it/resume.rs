//! A stage that is killed at any point continues from its record.

use serde_json::json;
use tarsy_agent::{Agent, AgentBrief, ModelAnswer, RunError, StageOutcome, Task, Transcript};
use tarsy_model::{EffectClass, IterationStrategy, RecordedInteraction};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fakes::*;

fn text_script() -> Vec<ModelAnswer> {
    vec![
        act("k8s.pods_list", &json!({"namespace": "a"})),
        act("k8s.pods_list", &json!({"namespace": "a"})),
        said("I will restart it."),
        act("k8s.pods_restart", &json!({"pod": "x"})),
        act("k8s.no_such_tool", &json!({})),
        act("events_list", &json!({"big": true})),
        act("tarsy.read_page", &json!({"result": 13, "page": 2})),
        act(
            "tarsy.search_result",
            &json!({"result": 13, "grep": "line", "after": 1}),
        ),
        said("Thought: done\nFinal Answer: It was the finalizer."),
    ]
}

fn native_script() -> Vec<ModelAnswer> {
    vec![
        native(&[
            ("k8s__pods_list", json!({"n": 1})),
            ("k8s__events_list", json!({"n": 2})),
            ("k8s__pods_list", json!({"n": 1})),
            ("k8s__gone", json!({})),
        ]),
        native(&[
            ("k8s__pods_restart", json!({"pod": "x"})),
            ("k8s__pods_list", json!({"n": 1})),
        ]),
        said("It was the finalizer."),
    ]
}

fn big_answers() -> FakeTools {
    let mut tools = FakeTools::new();
    tools.answer = Box::new(|call| {
        if call.arguments.get("big").is_some() {
            "line\n".repeat(8_000)
        } else {
            format!("{} ok", call.tool)
        }
    });
    tools
}

fn tasks() -> FakeTools {
    let mut tools = big_answers();
    tools.as_tasks = true;
    tools
}

fn short() -> FakeTools {
    let mut tools = big_answers();
    tools.is_short = true;
    tools
}

/// Runs a stage that is passed to another worker after each shortage.
async fn run_through_shortages(
    brief: &AgentBrief,
    model: &FakeModel,
    tools: &FakeTools,
    recorder: &MemoryRecorder,
) -> Result<StageOutcome, RunError> {
    loop {
        let transcript = Transcript::from_records(recorder.records());
        match run(brief, model, tools, recorder, transcript).await {
            Err(RunError::Shortage(_)) => {}
            end => return end,
        }
    }
}

async fn whole(
    brief: &AgentBrief,
    script: &[ModelAnswer],
    tools: fn() -> FakeTools,
) -> (StageOutcome, Vec<Write>, FakeModel) {
    let model = FakeModel::turns(script.to_vec());
    let recorder = MemoryRecorder::default();
    let outcome = run_through_shortages(brief, &model, &tools(), &recorder)
        .await
        .expect("a full run");
    let writes = recorder.writes.lock().expect("unpoisoned").clone();
    (outcome, writes, model)
}

async fn dies_everywhere(
    strategy: IterationStrategy,
    script: Vec<ModelAnswer>,
    new_tools: fn() -> FakeTools,
) {
    let brief = brief(strategy);
    let (whole_outcome, writes, whole_model) = whole(&brief, &script, new_tools).await;
    assert!(writes.len() > 12);
    for died_after in 0..=writes.len() {
        let prefix = &writes[..died_after];
        let rows = records(prefix);
        let answered = rows
            .iter()
            .filter(|r| matches!(r, RecordedInteraction::Llm(l) if l.result.is_some()))
            .count();
        let restarted = rows.iter().any(
            |r| matches!(r, RecordedInteraction::Mcp(m) if m.intent.tool_name.as_deref() == Some("pods_restart")),
        );
        let open_restart = rows.iter().find_map(|r| match r {
            RecordedInteraction::Mcp(m)
                if m.intent.tool_name.as_deref() == Some("pods_restart") && m.result.is_none() =>
            {
                Some(m.task_id.clone())
            }
            _ => None,
        });
        let unknown = open_restart == Some(None);

        let (model, tools) = (FakeModel::turns(script.clone()), new_tools());
        let recorder = MemoryRecorder::default();
        *recorder.writes.lock().expect("unpoisoned") = prefix.to_vec();
        let outcome = run_through_shortages(&brief, &model, &tools, &recorder).await;
        let outcome = outcome.unwrap_or_else(|e| panic!("died after {died_after}: {e}"));

        assert_eq!(
            analysis(&outcome),
            analysis(&whole_outcome),
            "died after {died_after}"
        );
        let restarts = tools
            .called()
            .iter()
            .filter(|c| c.contains("pods_restart"))
            .count();
        assert_eq!(restarts, usize::from(!restarted), "died after {died_after}");
        if let Some(Some(task)) = open_restart {
            assert_eq!(tools.followed(), [task], "died after {died_after}");
        }
        let asked = model.asked();
        assert_eq!(
            asked.len(),
            script.len() - answered,
            "died after {died_after}: asked again"
        );
        // The conversation is exactly the same, unless an outcome became unknown.
        if !unknown {
            for (again, first) in asked.iter().zip(&whole_model.asked()[answered..]) {
                assert_eq!(again.messages, first.messages, "died after {died_after}");
            }
        } else {
            let told = asked.iter().any(|r| {
                r.messages
                    .iter()
                    .any(|m| m.content.contains("outcome unknown"))
            });
            assert!(told, "died after {died_after}: the model was not told");
        }
        let sequences: Vec<i32> = recorder
            .records()
            .iter()
            .map(RecordedInteraction::sequence)
            .collect();
        let mut sorted = sequences.clone();
        sorted.sort_unstable();
        assert_eq!(
            sorted,
            (0..i32::try_from(sequences.len()).expect("small")).collect::<Vec<_>>()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_agent_killed_after_any_write_ends_the_same() {
    dies_everywhere(IterationStrategy::React, text_script(), big_answers).await;
}

#[tokio::test(start_paused = true)]
async fn a_native_agent_killed_after_any_write_ends_the_same() {
    dies_everywhere(IterationStrategy::Regular, native_script(), big_answers).await;
}

/// If a worker dies between the call and the note of its task, the outcome is unknown, as it is without tasks.
#[tokio::test(start_paused = true)]
async fn a_call_that_became_a_task_is_waited_for_wherever_its_worker_died() {
    dies_everywhere(IterationStrategy::React, text_script(), tasks).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_a_worker_was_too_short_to_send_is_made_once_wherever_the_next_one_dies() {
    dies_everywhere(IterationStrategy::React, text_script(), short).await;
    dies_everywhere(IterationStrategy::Regular, native_script(), short).await;
}

#[tokio::test(start_paused = true)]
async fn a_stage_that_is_resumed_after_its_deadline_ends_with_what_is_on_record() {
    for (strategy, script) in [
        (IterationStrategy::React, text_script()),
        (IterationStrategy::Regular, native_script()),
    ] {
        let brief = brief(strategy);
        let (whole_outcome, writes, _) = whole(&brief, &script, big_answers).await;
        for died_after in 0..=writes.len() {
            let (model, tools) = (FakeModel::turns(script.clone()), big_answers());
            let recorder = MemoryRecorder::default();
            let agent = Agent {
                model: &model,
                summarizer: None,
                tools: &tools,
                recorder: &recorder,
            };
            let transcript = Transcript::from_records(records(&writes[..died_after]));
            let (late, stop) = (Instant::now(), CancellationToken::new());
            let end = agent
                .run(Task::Investigate, &brief, transcript, late, &stop)
                .await;
            let (end, _) = end.expect("an outcome");
            match died_after == writes.len() {
                true => assert_eq!(analysis(&end), analysis(&whole_outcome)),
                false => assert_eq!(failure(&end).0, "deadline", "died after {died_after}"),
            }
            assert_eq!(model.asked().len(), 0, "died after {died_after}");
            assert_eq!(tools.called(), [""; 0], "died after {died_after}");
            assert_eq!(recorder.records().len(), 0, "died after {died_after}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_may_have_been_made_is_not_called_refused_when_its_tool_is_gone() {
    let brief = brief(IterationStrategy::React);
    let script = vec![
        act("k8s.pods_restart", &json!({"pod": "x"})),
        said("Thought: done\nFinal Answer: It was restarted, perhaps."),
    ];
    let (_, writes, _) = whole(&brief, &script, big_answers).await;
    let begun =
        |write: &Write| matches!(write, Write::BeginMcp(intent) if intent.tool_name.is_some());
    let died_after = writes.iter().position(begun).expect("a call") + 1;
    let prefix = &writes[..died_after];
    let recorder = MemoryRecorder::default();
    *recorder.writes.lock().expect("unpoisoned") = prefix.to_vec();
    let mut tools = FakeTools::new();
    tools.offers = vec![tool("metrics", "query", EffectClass::ReadOnly)];
    let transcript = Transcript::from_records(records(prefix));
    let model = FakeModel::turns(script);
    let end = run(&brief, &model, &tools, &recorder, transcript).await;
    end.expect("a full run");
    let calls = recorder.tool_calls();
    let result = calls[0].result.as_ref().expect("a result");
    let said = result.error_message.as_deref().unwrap_or_default();
    assert!(
        !result.refused && said.starts_with("outcome unknown"),
        "{result:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_lost_claim_stops_the_run_at_once() {
    let brief = brief(IterationStrategy::React);
    for lost_after in 0..10 {
        let model = FakeModel::turns(text_script());
        let (tools, recorder) = (
            big_answers(),
            MemoryRecorder {
                lost_after: Some(lost_after),
                ..Default::default()
            },
        );
        let end = run(&brief, &model, &tools, &recorder, Transcript::default()).await;
        assert!(matches!(end, Err(RunError::ClaimLost)), "{end:?}");
        let begun = recorder.records().len();
        assert!(
            model.asked().len() + tools.called().len() <= begun,
            "something was done without its intent"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_whole_conversation_is_in_the_record() {
    let brief = brief(IterationStrategy::React);
    let (_, writes, model) = whole(&brief, &text_script(), big_answers).await;
    let mut told = Vec::new();
    for row in records(&writes) {
        if let RecordedInteraction::Llm(llm) = row {
            let new: Vec<tarsy_llm::ChatMessage> =
                serde_json::from_value(llm.intent.new_messages).expect("messages");
            told.extend(new.into_iter().map(|m| m.content));
        }
    }
    let asked = model.asked();
    let last = asked.last().expect("asked");
    let sent: Vec<String> = last
        .messages
        .iter()
        .filter(|m| m.role != tarsy_llm::Role::Assistant)
        .map(|m| m.content.clone())
        .collect();
    assert_eq!(told, sent);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_lost_the_stage_asks_and_calls_nothing_again() {
    let brief = brief(IterationStrategy::React);
    let (_, writes, _) = whole(&brief, &text_script(), big_answers).await;
    for died_after in 0..writes.len() {
        let prefix = &writes[..died_after];
        let (model, tools) = (FakeModel::turns(text_script()), big_answers());
        // Another worker takes the stage over while this one reads the record.
        let recorder = MemoryRecorder {
            lost_after: Some(0),
            ..MemoryRecorder::default()
        };
        let transcript = Transcript::from_records(records(prefix));
        let end = run(&brief, &model, &tools, &recorder, transcript).await;
        // All prefixes leave something to do, because the last write is the conclusion.
        assert!(
            matches!(end, Err(RunError::ClaimLost)),
            "died after {died_after}: {end:?}"
        );
        assert_eq!(model.asked().len(), 0, "died after {died_after}");
        assert_eq!(tools.called(), [""; 0], "died after {died_after}");
    }
}
