//! Agents in code are subject to the record, the limits and the approvals of all agents.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use tarsy_agent::{AgentBrief, ApprovalRule, CallDecision, RunError, StageOutcome, Transcript};
use tarsy_agent_api::{Case, CodeAgent, Event, Step};
use tarsy_model::{AgentLimits, EffectClass, IterationStrategy, RecordedInteraction};

use crate::fakes::*;

/// Reads pods, asks, restarts a pod, asks again with all results so far, and concludes.
struct Restarter;

impl CodeAgent for Restarter {
    fn name(&self) -> &'static str {
        "restarter"
    }

    fn next(&self, case: &Case<'_>) -> Step {
        let seen: Vec<String> = case
            .events
            .iter()
            .map(|event| match event {
                Event::Answer(text) => text.clone(),
                Event::ToolResult { tool, result } => format!("{tool}: {result:?}"),
            })
            .collect();
        let ask = || Step::Ask {
            system: "system".into(),
            prompt: format!(
                "{} {}",
                case.alert_type,
                case.quote("SEEN", &seen.join(" | "))
            ),
        };
        let call = |tool: &str| Step::Call {
            tool: tool.into(),
            arguments: json!({"namespace": case.alert["namespace"]}),
        };
        match seen.len() {
            0 => call("k8s.pods_list"),
            1 | 3 => ask(),
            2 => call("pods_restart"),
            _ => Step::Conclude(seen.join(" | ")),
        }
    }
}

/// Keeps asking, keeps calling, or panics, depending on the alert's `namespace`. Only `polite` concludes, once it
/// must.
struct Endless;

impl CodeAgent for Endless {
    fn name(&self) -> &'static str {
        "endless"
    }

    fn next(&self, case: &Case<'_>) -> Step {
        let last = case.must_conclude.then(|| case.events.last()).flatten();
        match case.alert["namespace"].as_str().unwrap_or_default() {
            "panic" => panic!("a bug"),
            "call" => Step::Call {
                tool: "k8s.pods_list".into(),
                arguments: json!({}),
            },
            "polite" if matches!(last, Some(Event::Answer(_))) => Step::Conclude("enough".into()),
            "unknown" => Step::Call {
                tool: "rm".into(),
                arguments: json!({"-rf": true}),
            },
            _ => Step::Ask {
                system: "s".into(),
                prompt: format!("{} so far", case.events.len()),
            },
        }
    }
}

fn coded(code: &'static dyn CodeAgent) -> AgentBrief {
    AgentBrief {
        code: Some(code),
        ..brief(IterationStrategy::React)
    }
}

fn doing(what: &str, limits: AgentLimits) -> AgentBrief {
    let mut brief = AgentBrief {
        limits,
        ..coded(&Endless)
    };
    brief.data.alert_data = json!({"namespace": what});
    brief
}

/// Returns a model that answers with the number of results in the question, so that equal questions get equal
/// answers.
fn model() -> FakeModel {
    FakeModel::new(|request| {
        let seen = request.messages[1].content.matches(" | ").count();
        said(format!("answer {seen}"))
    })
}

async fn run_new(brief: &AgentBrief, recorder: &MemoryRecorder) -> Result<StageOutcome, RunError> {
    run(
        brief,
        &model(),
        &FakeTools::new(),
        recorder,
        Transcript::default(),
    )
    .await
}

#[tokio::test(start_paused = true)]
async fn its_steps_are_recorded_and_its_conclusion_is_the_analysis() {
    let (brief, recorder) = (coded(&Restarter), MemoryRecorder::default());
    let end = run_new(&brief, &recorder).await.expect("an outcome");
    assert_eq!(
        analysis(&end),
        "k8s.pods_list: Ok(\"pods_list says {\\\"namespace\\\":\\\"superman-dev\\\"}\") | answer 0 | k8s.pods_restart: \
         Ok(\"pods_restart says {\\\"namespace\\\":\\\"superman-dev\\\"}\") | answer 2"
    );
    let output = output(&end);
    assert_eq!(
        (
            &output["strategy"],
            &output["iterations"],
            &output["tool_calls"],
            &output["usage"]["input_tokens"]
        ),
        (&json!("code"), &json!(2), &json!(2), &json!(200))
    );
    let shown = recorder.records().into_iter().map(|record| match record {
        RecordedInteraction::Llm(llm) => {
            assert_eq!(llm.intent.new_messages.as_array().map(Vec::len), Some(2));
            format!("{} ask {}", llm.intent.sequence, llm.intent.iteration)
        }
        RecordedInteraction::Mcp(call) => {
            format!(
                "{} {} {}",
                call.intent.sequence, call.intent.step_description, call.intent.iteration
            )
        }
    });
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            "0 k8s: list tools 0",
            "1 k8s.pods_list 1",
            "2 ask 1",
            "3 k8s.pods_restart 2",
            "4 ask 2"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_stage_that_died_anywhere_goes_on_without_asking_or_calling_twice() {
    let whole = MemoryRecorder::default();
    let brief = coded(&Restarter);
    let end = run_new(&brief, &whole).await.expect("an outcome");
    let records = whole.records();
    for cut in 0..=records.len() {
        for is_open in [false, true] {
            let mut known: Vec<_> = records[..cut].to_vec();
            let Some(last) = known.last_mut().filter(|_| is_open) else {
                if is_open {
                    continue;
                }
                let (model, tools, recorder) =
                    (model(), FakeTools::new(), MemoryRecorder::default());
                let resumed = run(
                    &brief,
                    &model,
                    &tools,
                    &recorder,
                    Transcript::from_records(known),
                )
                .await;
                assert_eq!(
                    analysis(&resumed.expect("an outcome")),
                    analysis(&end),
                    "cut at {cut}"
                );
                let left = records[cut..]
                    .iter()
                    .filter(|r| matches!(r, RecordedInteraction::Llm(_)))
                    .count();
                assert_eq!(model.asked().len(), left, "cut at {cut}");
                continue;
            };
            let is_restart = match last {
                RecordedInteraction::Llm(llm) => {
                    llm.result = None;
                    false
                }
                RecordedInteraction::Mcp(call) => {
                    call.result = None;
                    call.intent.effect == EffectClass::Destructive
                }
            };
            let (model, tools, recorder) = (model(), FakeTools::new(), MemoryRecorder::default());
            let resumed = run(
                &brief,
                &model,
                &tools,
                &recorder,
                Transcript::from_records(known),
            )
            .await;
            let text = analysis(&resumed.expect("an outcome")).to_owned();
            if is_restart {
                assert!(text.contains("outcome unknown"), "{text}");
                assert!(
                    !tools.called().iter().any(|call| call.contains("restart")),
                    "made twice"
                );
            } else {
                assert_eq!(text, analysis(&end), "open at {cut}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_needs_approval_waits_for_it_and_a_denial_is_an_event() {
    let mut brief = coded(&Restarter);
    brief.approvals = BTreeMap::from([("k8s".to_owned(), ApprovalRule::Destructive)]);
    let recorder = MemoryRecorder::default();
    let Err(RunError::Wait(asked)) = run_new(&brief, &recorder).await else {
        panic!("it does not wait");
    };
    assert_eq!((&*asked.tool, asked.sequence), ("pods_restart", 3));
    let decisions = [
        (CallDecision::Approved, "pods_restart says"),
        (
            CallDecision::Refused {
                why: "alex denied it".into(),
            },
            "Err(\"alex denied it\")",
        ),
    ];
    for (decision, expected) in decisions {
        let tools = FakeTools::new();
        let transcript = Transcript::from_records(recorder.records())
            .with_decisions(BTreeMap::from([(asked.sequence, decision)]));
        let end = run(
            &brief,
            &model(),
            &tools,
            &MemoryRecorder::default(),
            transcript,
        )
        .await;
        let text = analysis(&end.expect("an outcome")).to_owned();
        assert!(text.contains(expected), "{text}");
        assert_eq!(
            tools.called().len(),
            usize::from(!expected.contains("denied"))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn it_stops_at_the_limits_of_all_agents() {
    let limits = AgentLimits {
        max_iterations: 3,
        max_tool_calls: 4,
        ..AgentLimits::default()
    };
    for (what, asked, class) in [
        ("ask", 4, "no_conclusion"),
        ("call", 0, "no_conclusion"),
        ("polite", 3, ""),
        ("panic", 0, "code"),
    ] {
        let (model, tools, recorder) = (
            FakeModel::turns(vec![said("x")]),
            FakeTools::new(),
            MemoryRecorder::default(),
        );
        let end = run(
            &doing(what, limits),
            &model,
            &tools,
            &recorder,
            Transcript::default(),
        )
        .await;
        let end = end.expect("an outcome");
        assert_eq!(model.asked().len(), asked, "{what}");
        match class {
            "" => assert_eq!(
                (analysis(&end), &output(&end)["limit_reached"]),
                ("enough", &json!("iterations"))
            ),
            class => assert_eq!(failure(&end).0, class, "{what}"),
        }
        assert_eq!(
            tools.called().len(),
            if what == "call" { 4 } else { 0 },
            "{what}"
        );
    }
    // A call of a tool that the agent does not have is refused, and counted.
    let (model, tools) = (FakeModel::turns(vec![said("x")]), FakeTools::new());
    let end = run(
        &doing("unknown", limits),
        &model,
        &tools,
        &MemoryRecorder::default(),
        Transcript::default(),
    )
    .await;
    assert_eq!(
        (failure(&end.expect("an outcome")).0, tools.called().len()),
        ("no_conclusion".to_owned(), 0)
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_is_waited_for_and_then_fails_the_stage_as_ever() {
    let recorder = MemoryRecorder::default();
    let down = FakeModel::turns(vec![error("server_error", None)]);
    let brief = coded(&Restarter);
    let end = run(
        &brief,
        &down,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await;
    assert!(
        matches!(end, Err(RunError::Snooze(wait)) if wait == Duration::from_secs(2)),
        "{end:?}"
    );
    let transcript = Transcript::from_records(recorder.records());
    let end = run(&brief, &model(), &FakeTools::new(), &recorder, transcript).await;
    assert!(analysis(&end.expect("an outcome")).ends_with("answer 2"));
    let refused = FakeModel::turns(vec![error("auth", None)]);
    let end = run(
        &brief,
        &refused,
        &FakeTools::new(),
        &MemoryRecorder::default(),
        Transcript::default(),
    )
    .await;
    assert_eq!(failure(&end.expect("an outcome")).0, "llm_auth");
}

/// Decides by a number, which gives any mixture of questions and calls. Some calls name tools that it does not have.
struct Whimsical;

impl CodeAgent for Whimsical {
    fn name(&self) -> &'static str {
        "whimsical"
    }

    fn next(&self, case: &Case<'_>) -> Step {
        let whim = case.alert["namespace"].as_u64().unwrap_or(0) >> (2 * case.events.len().min(31));
        match whim % 4 {
            0 => Step::Conclude(case.events.len().to_string()),
            1 => Step::Ask {
                system: String::new(),
                prompt: "?".into(),
            },
            2 => Step::Call {
                tool: "pods_list".into(),
                arguments: json!({"n": case.events.len()}),
            },
            _ => Step::Call {
                tool: "nothing".into(),
                arguments: json!(null),
            },
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// For any decisions, the stage ends within its limits, and ends the same way if it is resumed from any prefix of
    /// its record.
    #[test]
    fn any_code_ends_within_its_limits_and_alike_after_a_cut(whims in any::<u64>(), cut in any::<prop::sample::Index>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let limits = AgentLimits { max_iterations: 5, max_tool_calls: 6, ..AgentLimits::default() };
        let mut brief = AgentBrief { limits, ..coded(&Whimsical) };
        brief.data.alert_data = json!({"namespace": whims});
        runtime.block_on(async {
            let recorder = MemoryRecorder::default();
            let end = run_new(&brief, &recorder).await.expect("an outcome");
            let records = recorder.records();
            let count = |is: fn(&RecordedInteraction) -> bool| records.iter().filter(|record| is(record)).count();
            assert!(count(|record| matches!(record, RecordedInteraction::Llm(_))) <= 6);
            assert!(count(|record| matches!(record, RecordedInteraction::Mcp(_))) <= 7);
            let known = records[..cut.index(records.len() + 1)].to_vec();
            let resumed = run(&brief, &model(), &FakeTools::new(), &MemoryRecorder::default(), Transcript::from_records(known)).await;
            assert_eq!(resumed.expect("an outcome"), end);
        });
    }
}

/// Asks one long question.
struct Talker;

impl CodeAgent for Talker {
    fn name(&self) -> &'static str {
        "talker"
    }

    fn next(&self, case: &Case<'_>) -> Step {
        match case.events.last() {
            Some(Event::Answer(text)) => Step::Conclude(text.clone()),
            _ => Step::Ask {
                system: "s".into(),
                prompt: "why? ".repeat(6_000),
            },
        }
    }
}

#[tokio::test(start_paused = true)]
async fn half_of_what_was_sent_is_sent_after_a_refusal() {
    let model = takes(16_000);
    let recorder = MemoryRecorder::default();
    let transcript = Transcript::default();
    let brief = coded(&Talker);
    let end = run(&brief, &model, &FakeTools::new(), &recorder, transcript).await;
    assert_eq!(analysis(&end.expect("an outcome")), "short enough");
    assert_eq!(model.asked().len(), 2);
    // After a worker dies before the second answer, the next one asks the same question again.
    let mut records = recorder.records();
    if let Some(RecordedInteraction::Llm(last)) = records.last_mut() {
        last.result = None;
    }
    let again = takes(16_000);
    let transcript = Transcript::from_records(records);
    let end = run(&brief, &again, &FakeTools::new(), &recorder, transcript).await;
    assert_eq!(analysis(&end.expect("an outcome")), "short enough");
    assert_eq!(again.asked()[0].messages, model.asked()[1].messages);
}
