//! The form of replies: which form is requested, and when it changes.

use proptest::prelude::*;
use serde_json::{Value, json};
use tarsy_agent::{AgentBrief, ModelAnswer, StageOutcome, Transcript};
use tarsy_llm::ChatRequest;
use tarsy_model::{AgentLimits, IterationStrategy, RecordedInteraction, ReplyFormat};

use crate::fakes::*;

fn step(tool: &str, input: &Value) -> ModelAnswer {
    let next = json!({"action": tool, "action_input": input});
    said(json!({"thought": "I look.", "next": next}).to_string())
}

fn concludes(answer: &str) -> ModelAnswer {
    said(json!({"thought": "I know.", "next": {"final_answer": answer}}).to_string())
}

/// A model whose provider enforces schemas.
fn enforcing(model: FakeModel, reply_format: ReplyFormat) -> FakeModel {
    FakeModel {
        enforces_schemas: true,
        reply_format,
        ..model
    }
}

async fn outcome(brief: &AgentBrief, model: &FakeModel, recorder: &MemoryRecorder) -> StageOutcome {
    let end = run(
        brief,
        model,
        &FakeTools::new(),
        recorder,
        Transcript::default(),
    )
    .await;
    end.expect("an outcome")
}

/// Returns the names of the tools that a schema has alternatives for, and `final` for the conclusion.
fn alternatives(request: &ChatRequest) -> Vec<String> {
    let schema = request.response_schema.as_ref().expect("a schema");
    let next = &schema["properties"]["next"];
    let alternatives = next["anyOf"].as_array().expect("alternatives");
    let name = |one: &Value| match one["properties"]["action"]["enum"][0].as_str() {
        Some(name) => name.to_owned(),
        None => "final".to_owned(),
    };
    alternatives.iter().map(name).collect()
}

/// Returns the form of each question, as far as its request shows it.
fn forms(model: &FakeModel) -> Vec<&'static str> {
    let form = |request: &ChatRequest| match request {
        _ if request.response_schema.is_some() => "json",
        _ if !request.stop_sequences.is_empty() => "text",
        _ => "native",
    };
    model.asked().iter().map(form).collect()
}

fn changes(model: &FakeModel) -> Vec<(&'static str, &'static str)> {
    let asked = model.asked();
    let changes = asked.iter().filter_map(|request| request.form_change);
    changes.map(|change| (change.from, change.to)).collect()
}

#[tokio::test(start_paused = true)]
async fn each_step_in_json_has_an_alternative_for_each_tool_and_a_conclusion_once_there_is_evidence()
 {
    for strategy in [IterationStrategy::React, IterationStrategy::Regular] {
        let model = enforcing(
            FakeModel::turns(vec![
                step("k8s.pods_list", &json!({})),
                step("k8s.events_list", &json!({})),
                concludes("The quota."),
            ]),
            ReplyFormat::Json,
        );
        let recorder = MemoryRecorder::default();
        let end = outcome(&brief(strategy), &model, &recorder).await;
        assert_eq!(analysis(&end), "The quota.");
        let asked = model.asked();
        let tools = ["k8s.pods_list", "k8s.events_list", "k8s.pods_restart"];
        assert_eq!(alternatives(&asked[0]), tools);
        assert_eq!(
            alternatives(&asked[1]),
            [&tools[..], &["tarsy.read_page", "final"]].concat()
        );
        let (system, question) = (&asked[0].messages[0].content, &asked[0].messages[1].content);
        assert!(system.contains("one JSON object") && !system.contains("Action Input:"));
        assert!(question.contains("- k8s.pods_list: does pods_list"));
        assert!(
            asked
                .iter()
                .all(|request| request.tools.is_empty() && request.is_data)
        );
        assert_eq!(recorder.tool_calls().len(), 2);
        let descriptions = descriptions(&recorder);
        assert_eq!(descriptions[0], "Iteration 1: ask model (replies as json)");
    }
}

fn descriptions(recorder: &MemoryRecorder) -> Vec<String> {
    let rows = recorder.records().into_iter();
    let asked = rows.filter_map(|row| match row {
        RecordedInteraction::Llm(llm) => Some(llm.intent.step_description),
        RecordedInteraction::Mcp(_) => None,
    });
    asked.collect()
}

#[tokio::test(start_paused = true)]
async fn a_conclusion_in_json_is_forced_with_that_alternative_alone() {
    let model = FakeModel::new(
        |request: &ChatRequest| match request.response_schema.as_ref() {
            Some(schema) if schema.to_string().contains("pods_list") => {
                step("k8s.pods_list", &json!({"n": request.assistant_turns()}))
            }
            _ => concludes("forced"),
        },
    );
    let model = enforcing(model, ReplyFormat::Json);
    let end = outcome(
        &brief(IterationStrategy::React),
        &model,
        &MemoryRecorder::default(),
    )
    .await;
    assert_eq!(analysis(&end), "forced");
    let last = model.asked().pop().expect("a question");
    let schema = last.response_schema.expect("a schema");
    assert_eq!(schema["required"], json!(["final_answer"]), "no thought");
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_enforces_nothing_or_refuses_the_schema_is_asked_for_text() {
    let script = || {
        vec![
            act("k8s.pods_list", &json!({})),
            said("Thought: t\nFinal Answer: ok"),
        ]
    };
    let unable = FakeModel {
        reply_format: ReplyFormat::Json,
        ..FakeModel::turns(script())
    };
    let end = outcome(
        &brief(IterationStrategy::React),
        &unable,
        &MemoryRecorder::default(),
    )
    .await;
    assert_eq!(
        (analysis(&end), forms(&unable)),
        ("ok", vec!["text", "text"])
    );

    for strategy in [IterationStrategy::React, IterationStrategy::Regular] {
        let answers = script();
        let model = FakeModel::new(move |request: &ChatRequest| match request.response_schema {
            Some(_) => error("invalid_request", None),
            None => answers[request.assistant_turns().min(1)].clone(),
        });
        let model = enforcing(model, ReplyFormat::Json);
        let recorder = MemoryRecorder::default();
        let end = outcome(&brief(strategy), &model, &recorder).await;
        assert_eq!(
            (analysis(&end), forms(&model)),
            ("ok", vec!["json", "text", "text"])
        );
        assert_eq!(changes(&model), [("json", "text")]);
        let rows = recorder.records();
        let refused = rows.iter().any(|row| matches!(row, RecordedInteraction::Llm(llm)
            if llm.result.as_ref().is_some_and(|result| result.error_class.as_deref() == Some("invalid_request"))));
        assert!(refused, "the refusal is on record");
    }
}

#[tokio::test(start_paused = true)]
async fn two_unreadable_replies_change_the_form_and_not_only_the_complaint() {
    let unread = || said("I will look at the pods.");
    let other = || said("I will look at the events.");
    let broken = || said("{\"name\": \"k8s__pods_list\", \"arguments\": \"{ns\"}");
    let look = || act("k8s.pods_list", &json!({}));
    let elsewhere = || act("k8s.pods_list", &json!({"namespace": "shop"}));
    let unknown = || act("k8s.get_pods", &json!({}));
    let called = || native(&[("k8s__get_pods", json!({}))]);
    let end = || concludes("ok");
    for (strategy, enforces, answers, expected) in [
        // Two unreadable replies in a row, whether they are equal or not.
        (
            IterationStrategy::React,
            true,
            vec![unread(), other(), look(), end()],
            vec!["text", "text", "json", "json"],
        ),
        (
            IterationStrategy::React,
            true,
            vec![unread(), unread(), look(), end()],
            vec!["text", "text", "json", "json"],
        ),
        // The same unreadable reply, with another reply between.
        (
            IterationStrategy::React,
            true,
            vec![unread(), look(), unread(), end()],
            vec!["text", "text", "text", "json"],
        ),
        // Calls of tools that do not exist, alone or after an unreadable reply.
        (
            IterationStrategy::React,
            true,
            vec![unknown(), unknown(), look(), end()],
            vec!["text", "text", "json", "json"],
        ),
        (
            IterationStrategy::React,
            true,
            vec![unread(), unknown(), look(), end()],
            vec!["text", "text", "json", "json"],
        ),
        (
            IterationStrategy::Regular,
            true,
            vec![called(), called(), look(), end()],
            vec!["native", "native", "json", "json"],
        ),
        // A call that was already answered, repeated.
        (
            IterationStrategy::React,
            true,
            vec![look(), look(), look(), end()],
            vec!["text", "text", "text", "json"],
        ),
        (
            IterationStrategy::React,
            true,
            vec![look(), look(), elsewhere(), end()],
            vec!["text", "text", "text", "text"],
        ),
        // Different unreadable replies with a readable one between them.
        (
            IterationStrategy::React,
            true,
            vec![unread(), look(), other(), end()],
            vec!["text", "text", "text", "text"],
        ),
        (
            IterationStrategy::React,
            false,
            vec![unread(), unread(), look(), end()],
            vec!["text", "text", "text", "text"],
        ),
        (
            IterationStrategy::Regular,
            true,
            vec![broken(), said(""), look(), end()],
            vec!["native", "native", "json", "json"],
        ),
        (
            IterationStrategy::Regular,
            false,
            vec![broken(), said(""), look(), end()],
            vec!["native", "native", "text", "text"],
        ),
        (
            IterationStrategy::Regular,
            true,
            vec![said(""), said(""), unread(), other(), look(), end()],
            vec!["native", "native", "json", "json", "text", "text"],
        ),
    ] {
        let model = FakeModel {
            enforces_schemas: enforces,
            ..FakeModel::turns(answers)
        };
        let recorder = MemoryRecorder::default();
        let end = outcome(&brief(strategy), &model, &recorder).await;
        assert_eq!(analysis(&end), "ok");
        assert_eq!(forms(&model), expected, "{strategy}, {enforces}");
        let changed = expected.windows(2).filter(|pair| pair[0] != pair[1]);
        let changed: Vec<_> = changed.map(|pair| (pair[0], pair[1])).collect();
        assert_eq!(changes(&model), changed);
        let asked = model.asked();
        for (pair, forms) in asked.windows(2).zip(expected.windows(2)) {
            let last = &pair[1].messages.last().expect("a message").content;
            let says_so = last.contains("The form of the replies changes");
            assert_eq!(says_so, forms[0] != forms[1], "{last}");
            // Each question begins with the messages of the previous one.
            assert_eq!(
                pair[1].messages[..pair[0].messages.len()],
                pair[0].messages[..]
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_step_after_repeats_takes_another_tool() {
    let look = || act("k8s.pods_list", &json!({}));
    let other = || act("k8s.events_list", &json!({}));
    // The first of these calls is not a repeat.
    let expected = [None, None, None, Some(false), Some(false), Some(true)];
    for error in [None, Some("forbidden")] {
        let tools = FakeTools {
            error,
            ..FakeTools::new()
        };
        let answers = vec![look(), look(), look(), look(), other(), concludes("ok")];
        let model = enforcing(FakeModel::turns(answers), ReplyFormat::Auto);
        let brief = brief(IterationStrategy::React);
        let recorder = MemoryRecorder::default();
        run(&brief, &model, &tools, &recorder, Transcript::default())
            .await
            .expect("an outcome");
        let offered = |asked: &ChatRequest| {
            let schema = asked.response_schema.as_ref()?.to_string();
            Some(schema.contains("\"k8s.pods_list\""))
        };
        let offers: Vec<Option<bool>> = model.asked().iter().map(offered).collect();
        // There may be more than six questions, because the first conclusion without evidence is not accepted.
        assert_eq!(offers[..6], expected, "{error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn text_that_is_configured_stays_text() {
    let model = enforcing(
        FakeModel::turns(vec![
            said("Hm."),
            said("Hm."),
            said("Hm."),
            act("k8s.pods_list", &json!({})),
            said("Final Answer: ok"),
        ]),
        ReplyFormat::Text,
    );
    let end = outcome(
        &brief(IterationStrategy::Regular),
        &model,
        &MemoryRecorder::default(),
    )
    .await;
    assert_eq!(analysis(&end), "ok");
    assert_eq!(forms(&model), ["text"; 5]);
    let asked = model.asked();
    assert!(asked[0].tools.is_empty());
    let told: Vec<&String> = asked[3]
        .messages
        .iter()
        .skip(3)
        .step_by(2)
        .map(|m| &m.content)
        .collect();
    assert!(told[0] != told[1] && told[1] != told[2], "{told:?}");
}

/// After the form has changed, native calls stay in the conversation, and the tools are still offered.
#[tokio::test(start_paused = true)]
async fn a_conversation_with_native_calls_keeps_its_tools_in_another_form() {
    let model = enforcing(
        FakeModel::turns(vec![
            native(&[("k8s__pods_list", json!({"n": 1}))]),
            said(""),
            said(""),
            step("k8s.events_list", &json!({})),
            concludes("ok"),
        ]),
        ReplyFormat::Auto,
    );
    let recorder = MemoryRecorder::default();
    let end = outcome(&brief(IterationStrategy::Regular), &model, &recorder).await;
    assert_eq!(analysis(&end), "ok");
    let asked = model.asked();
    assert_eq!(json!(asked[4].tools), json!(asked[0].tools));
    assert!(!asked[2].forbid_tools && asked[3].forbid_tools && asked[4].forbid_tools);
    assert_eq!(asked[4].messages[2].tool_calls.len(), 1);
    assert_eq!(recorder.tool_calls().len(), 2);
    let notice = &asked[3].messages.last().expect("a message").content;
    assert!(
        notice.contains("- k8s.events_list: does events_list"),
        "{notice}"
    );
}

/// Generates replies of a model, readable or not.
fn any_answer() -> impl Strategy<Value = ModelAnswer> {
    prop_oneof![
        Just(said("")),
        Just(said("Let me think.")),
        Just(said("Action Input: {}")),
        Just(said("{\"thought\": \"t\", \"next\": {}}")),
        Just(said("## Root cause\nDNS.\n\n## Evidence\nNone.")),
        (0..3_u8).prop_map(|n| act("k8s.pods_list", &json!({"n": n}))),
        (0..3_u8).prop_map(|n| step("k8s.events_list", &json!({"n": n}))),
        (0..3_u8).prop_map(|n| native(&[("k8s__pods_list", json!({"n": n}))])),
        Just(step("no_such_tool", &Value::Null)),
        Just(step(
            "tarsy.search_result",
            &json!({"result": 2, "grep": "says"})
        )),
        Just(error("invalid_request", None)),
        Just(concludes("done")),
        Just(said("Final Answer: done")),
        "[ -~\n]{0,40}".prop_map(said),
    ]
}

fn block_on<T>(run: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime")
        .block_on(run)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// For any replies, the stage ends, and a stage that is killed after any write asks the same questions in the
    /// same forms.
    #[test]
    fn a_stage_that_is_resumed_anywhere_asks_in_the_same_forms(
        answers in prop::collection::vec(any_answer(), 1..7),
        strategy in prop::sample::select(vec![IterationStrategy::React, IterationStrategy::Regular]),
        format in prop::sample::select(ReplyFormat::ALL.to_vec()),
        enforces in any::<bool>(),
    ) {
        let brief = AgentBrief {
            limits: AgentLimits { max_iterations: 6, ..AgentLimits::default() },
            ..brief(strategy)
        };
        let model = || {
            let answers = answers.clone();
            // Failed questions add no turn, so the answer depends only on the question.
            let model = FakeModel::new(move |request: &ChatRequest| {
                let place = request.messages.iter().filter(|m| m.role != tarsy_llm::Role::Assistant).count();
                answers[(place - 2).min(answers.len() - 1)].clone()
            });
            FakeModel { enforces_schemas: enforces, reply_format: format, ..model }
        };
        let whole = model();
        let recorder = MemoryRecorder::default();
        let end = block_on(run(&brief, &whole, &FakeTools::new(), &recorder, Transcript::default())).expect("an outcome");
        let writes = recorder.writes.lock().expect("unpoisoned").clone();
        for died_after in 0..writes.len() {
            let rows = records(&writes[..died_after]);
            let answered = rows.iter().filter(|row| matches!(row, RecordedInteraction::Llm(llm) if llm.result.is_some())).count();
            let (again, recorder) = (model(), MemoryRecorder::default());
            *recorder.writes.lock().expect("unpoisoned") = writes[..died_after].to_vec();
            let resumed = block_on(run(&brief, &again, &FakeTools::new(), &recorder, Transcript::from_records(rows)));
            prop_assert_eq!(format!("{:?}", resumed.expect("an outcome")), format!("{end:?}"));
            let (asked, first) = (again.asked(), whole.asked());
            prop_assert_eq!(asked.len(), first.len() - answered);
            for (asked, first) in asked.iter().zip(&first[answered..]) {
                prop_assert_eq!(&asked.messages, &first.messages);
                prop_assert_eq!(&asked.response_schema, &first.response_schema);
                prop_assert_eq!(&asked.stop_sequences, &first.stop_sequences);
                prop_assert_eq!(asked.forbid_tools, first.forbid_tools);
            }
        }
    }
}
