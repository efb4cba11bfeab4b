//! Agents with many tools: the model sees their names first, and loads parameters when it needs them.

use proptest::prelude::*;
use serde_json::{Value, json};
use tarsy_agent::{AgentBrief, ModelAnswer, Transcript};
use tarsy_llm::ChatRequest;
use tarsy_mcp::{ToolInfo, ToolPin};
use tarsy_model::{AgentLimits, EffectClass, IterationStrategy, RecordedInteraction, ReplyFormat};

use crate::fakes::*;

/// Tools of two servers, each with its own parameter.
fn tools(count: usize) -> FakeTools {
    let offer = |n: usize| {
        let server = if n < count / 2 { "k8s" } else { "logs" };
        let name = format!("read_{n}");
        let description = format!("Reads shelf number {n} of a store. It takes a while.");
        let input_schema = json!({
            "type": "object", "properties": {format!("zone_{n}"): {"type": "string"}}, "required": [format!("zone_{n}")],
        });
        ToolInfo {
            server: server.into(),
            pin: ToolPin::new(&name, &description, &input_schema),
            name,
            description,
            input_schema,
            effect: EffectClass::ReadOnly,
        }
    };
    FakeTools {
        offers: (0..count).map(offer).collect(),
        ..FakeTools::new()
    }
}

fn step(tool: &str, input: &Value) -> ModelAnswer {
    let next = json!({"action": tool, "action_input": input});
    said(json!({"thought": "I look.", "next": next}).to_string())
}

fn concludes() -> ModelAnswer {
    said(json!({"thought": "I know.", "next": {"final_answer": "ok"}}).to_string())
}

async fn asked(
    strategy: IterationStrategy,
    model: FakeModel,
    tools: &FakeTools,
) -> (Vec<ChatRequest>, Vec<String>) {
    let recorder = MemoryRecorder::default();
    let brief = brief(strategy);
    let end = run(&brief, &model, tools, &recorder, Transcript::default()).await;
    assert_eq!(analysis(&end.expect("an outcome")), "ok");
    (model.asked(), tools.called())
}

fn last(request: &ChatRequest) -> &str {
    &request.messages.last().expect("a message").content
}

#[tokio::test(start_paused = true)]
async fn as_text_the_question_has_names_and_parameters_come_when_they_are_loaded() {
    let model = FakeModel::turns(vec![
        act(
            "tarsy.find_tools",
            &json!({"query": "k8s.read_3 logs.read_55"}),
        ),
        act("k8s.read_3", &json!({"zone_3": "a"})),
        act("logs.read_40", &json!({"zone_40": "b"})),
        act("tarsy.find_tools", &json!({"query": "shelf"})),
        act("logs.read_nothing", &json!({})),
        said("Final Answer: ok"),
    ]);
    let (asked, called) = asked(IterationStrategy::React, model, &tools(60)).await;
    let question = &asked[0].messages[1].content;
    assert!(
        question.contains("There are 60 tools") && question.contains("tarsy.find_tools"),
        "{question}"
    );
    assert!(
        question.contains("\n- logs.read_55: Reads shelf number 55 of a store\n"),
        "{question}"
    );
    assert!(!question.contains("zone_"), "no parameters");
    let loaded = last(&asked[1]);
    assert!(
        loaded.contains("zone_3 (string, required)")
            && loaded.contains("zone_55 (string, required)"),
        "{loaded}"
    );
    assert!(
        !loaded.contains("zone_4") && !loaded.contains("The conclusion is a report"),
        "{loaded}"
    );
    assert!(
        !last(&asked[2]).contains("zone_3 (string"),
        "it was loaded before"
    );
    // The tool is called by its name without being loaded. The call is made, and the model is shown the parameters.
    assert!(
        last(&asked[3]).contains("zone_40 (string, required)"),
        "{}",
        last(&asked[3])
    );
    assert_eq!(
        called,
        [
            "k8s.read_3 {\"zone_3\":\"a\"}",
            "logs.read_40 {\"zone_40\":\"b\"}"
        ]
    );
    let by_words = last(&asked[4]);
    assert!(by_words.contains("52 more have such words"), "{by_words}");
    assert_eq!(by_words.matches("(string, required)").count(), 8);
    assert!(
        last(&asked[5]).contains("`logs.read_nothing` is not one of your tools; did you mean "),
        "{}",
        last(&asked[5])
    );
    assert!(last(&asked[5]).len() < 600);
}

#[tokio::test(start_paused = true)]
async fn natively_loaded_tools_are_appended_to_those_that_are_offered() {
    let model = FakeModel::turns(vec![
        native(&[("tarsy__find_tools", json!({"query": "logs.read_55"}))]),
        native(&[
            ("logs__read_55", json!({"zone_55": "a"})),
            ("k8s__read_1", json!({"zone_1": "b"})),
        ]),
        native(&[(
            "tarsy__find_tools",
            json!({"query": "k8s.read_0, logs.read_55"}),
        )]),
        said("ok"),
    ]);
    let (asked, called) = asked(IterationStrategy::Regular, model, &tools(60)).await;
    let names = |request: &ChatRequest| -> Vec<String> {
        request.tools.iter().map(|tool| tool.name.clone()).collect()
    };
    let own = [
        "tarsy__find_tools",
        "tarsy__read_page",
        "tarsy__search_result",
    ];
    for (question, loaded) in [
        (0, &[][..]),
        (1, &["logs__read_55"]),
        (2, &["logs__read_55", "k8s__read_1"]),
        (3, &["logs__read_55", "k8s__read_1", "k8s__read_0"]),
    ] {
        assert_eq!(
            names(&asked[question]),
            [&own[..], loaded].concat(),
            "question {question}"
        );
    }
    assert_eq!(
        called.len(),
        2,
        "one that was not loaded is called by its exact name"
    );
    assert!(
        asked[0].messages[1]
            .content
            .contains("- k8s.read_1: Reads shelf number 1 of a store")
    );
    assert!(
        !asked[1]
            .messages
            .iter()
            .any(|message| message.content.contains("zone_")),
        "the vendor is given the parameters"
    );
}

#[tokio::test(start_paused = true)]
async fn in_json_the_alternatives_grow_by_what_was_loaded() {
    let model = FakeModel {
        enforces_schemas: true,
        reply_format: ReplyFormat::Json,
        ..FakeModel::turns(vec![
            step("tarsy.find_tools", &json!({"query": "shelf 12"})),
            step("k8s.read_12", &json!({"zone_12": "a"})),
            step("logs.read_50", &json!({"zone_50": "a"})),
            concludes(),
        ])
    };
    let (asked, called) = asked(IterationStrategy::React, model, &tools(60)).await;
    let alternatives = |request: &ChatRequest| -> Vec<String> {
        let schema = request.response_schema.clone().expect("a schema");
        let all = schema["properties"]["next"]["anyOf"]
            .as_array()
            .expect("alternatives")
            .clone();
        let names = all.iter().map(|one| {
            one["properties"]["action"]["enum"][0]
                .as_str()
                .unwrap_or("final")
                .to_owned()
        });
        names.collect()
    };
    assert_eq!(alternatives(&asked[0]), ["tarsy.find_tools"]);
    let second = alternatives(&asked[1]);
    assert_eq!(
        (second.len(), second[1].as_str()),
        (9, "k8s.read_12"),
        "{second:?}"
    );
    assert!(last(&asked[1]).contains("zone_12 (string, required)"));
    assert_eq!(alternatives(&asked[2])[..9], second);
    assert_eq!(
        alternatives(&asked[3])[9],
        "logs.read_50",
        "called by its name, so loaded"
    );
    assert_eq!(called.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn up_to_the_limit_tools_are_shown_whole() {
    let turns = vec![
        act("k8s.read_1", &json!({"zone_1": "a"})),
        said("Final Answer: ok"),
    ];
    let (text, _) = asked(
        IterationStrategy::React,
        FakeModel::turns(turns),
        &tools(40),
    )
    .await;
    assert_eq!(
        text[0].messages[1]
            .content
            .matches("(string, required)")
            .count(),
        40
    );
    let turns = vec![
        native(&[("k8s__read_1", json!({"zone_1": "a"}))]),
        said("ok"),
    ];
    let (native, _) = asked(
        IterationStrategy::Regular,
        FakeModel::turns(turns),
        &tools(40),
    )
    .await;
    assert_eq!(native[0].tools.len(), 42);
    assert_eq!(native[0].tools[40].name, "tarsy__read_page");
}

#[tokio::test(start_paused = true)]
async fn a_search_that_finds_no_tool_is_refused() {
    let model = FakeModel::turns(vec![
        act("tarsy.find_tools", &json!({"query": "kafka"})),
        act("tarsy.find_tools", &json!({})),
        act("tarsy.find_tools", &json!({"query": "read_2"})),
        act("k8s.read_2", &json!({"zone_2": "a"})),
        said("Final Answer: ok"),
    ]);
    let (asked, _) = asked(IterationStrategy::React, model, &tools(60)).await;
    assert!(
        last(&asked[1]).contains("no tool has such a name or such words"),
        "{}",
        last(&asked[1])
    );
    assert!(
        last(&asked[2]).contains("find_tools needs `query`"),
        "{}",
        last(&asked[2])
    );
    assert!(
        last(&asked[3]).contains("zone_2 (string, required)"),
        "{}",
        last(&asked[3])
    );
}

/// When the form changes, the message lists the loaded tools. The names are already in the question.
#[tokio::test(start_paused = true)]
async fn a_native_stage_that_changes_its_form_tells_the_loaded_tools() {
    let model = FakeModel::turns(vec![
        native(&[("tarsy__find_tools", json!({"query": "logs.read_55"}))]),
        said(""),
        said(""),
        act("logs.read_55", &json!({"zone_55": "a"})),
        said("Final Answer: ok"),
    ]);
    let (asked, called) = asked(IterationStrategy::Regular, model, &tools(60)).await;
    assert_eq!(called.len(), 1);
    let notice = last(&asked[3]);
    assert!(
        notice.contains("The form of the replies changes")
            && notice.contains("zone_55 (string, required)"),
        "{notice}"
    );
    assert_eq!(notice.matches("(string, required)").count(), 1);
}

fn any_answer() -> impl Strategy<Value = ModelAnswer> {
    let queries = prop::sample::select(vec![
        "k8s.read_3",
        "shelf",
        "logs.read_5, k8s.read_2",
        "kafka",
        "",
    ]);
    let find = |query: &str| json!({ "query": query });
    prop_oneof![
        queries
            .clone()
            .prop_map(move |query| act("tarsy.find_tools", &find(query))),
        queries
            .clone()
            .prop_map(move |query| step("tarsy.find_tools", &find(query))),
        queries.prop_map(move |query| native(&[
            ("tarsy__find_tools", find(query)),
            ("k8s__read_3", json!({"n": 1}))
        ])),
        (0..8_u8).prop_map(|n| act(&format!("read_{n}"), &json!({"n": n}))),
        (0..8_u8).prop_map(|n| native(&[(&format!("k8s__read_{n}"), json!({"n": n}))])),
        Just(step(
            "tarsy.search_result",
            &json!({"result": 3, "grep": "says"})
        )),
        Just(said("")),
        Just(said("Let me think.")),
        Just(error("invalid_request", None)),
        Just(concludes()),
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
    #![proptest_config(ProptestConfig::with_cases(10))]

    /// No matter which tools a model loads and calls, offered tools keep their positions, and a stage that is killed
    /// after any write offers the same tools.
    #[test]
    fn a_stage_that_is_resumed_anywhere_offers_the_same_tools(
        answers in prop::collection::vec(any_answer(), 1..7),
        strategy in prop::sample::select(vec![IterationStrategy::React, IterationStrategy::Regular]),
        format in prop::sample::select(ReplyFormat::ALL.to_vec()),
        enforces in any::<bool>(),
    ) {
        let brief = AgentBrief {
            limits: AgentLimits { max_iterations: 6, max_tool_schemas: 4, ..AgentLimits::default() },
            ..brief(strategy)
        };
        let model = || {
            let answers = answers.clone();
            let model = FakeModel::new(move |request: &ChatRequest| {
                let place = request.messages.iter().filter(|m| m.role != tarsy_llm::Role::Assistant).count();
                answers[(place - 2).min(answers.len() - 1)].clone()
            });
            FakeModel { enforces_schemas: enforces, reply_format: format, ..model }
        };
        let whole = model();
        let recorder = MemoryRecorder::default();
        let end = block_on(run(&brief, &whole, &tools(8), &recorder, Transcript::default())).expect("an outcome");
        let first = whole.asked();
        for pair in first.windows(2) {
            let offered = [&pair[0], &pair[1]].map(|request| json!(request.tools).as_array().expect("tools").clone());
            prop_assert!(offered[1].starts_with(&offered[0]));
        }
        let writes = recorder.writes.lock().expect("unpoisoned").clone();
        for died_after in 0..writes.len() {
            let rows = records(&writes[..died_after]);
            let answered = rows.iter().filter(|row| matches!(row, RecordedInteraction::Llm(llm) if llm.result.is_some())).count();
            let (again, recorder) = (model(), MemoryRecorder::default());
            *recorder.writes.lock().expect("unpoisoned") = writes[..died_after].to_vec();
            let resumed = block_on(run(&brief, &again, &tools(8), &recorder, Transcript::from_records(rows)));
            prop_assert_eq!(format!("{:?}", resumed.expect("an outcome")), format!("{end:?}"));
            let asked = again.asked();
            prop_assert_eq!(asked.len(), first.len() - answered);
            for (asked, first) in asked.iter().zip(&first[answered..]) {
                prop_assert_eq!(&asked.messages, &first.messages);
                prop_assert_eq!(&asked.response_schema, &first.response_schema);
                prop_assert_eq!(json!(asked.tools), json!(first.tools));
            }
        }
    }
}
