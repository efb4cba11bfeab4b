//! Earlier results are searched without another call.

use serde_json::{Value, json};
use tarsy_agent::{ModelAnswer, Transcript};
use tarsy_model::{IterationStrategy, ReplyFormat};

use crate::fakes::*;

/// Returns tools with a log that is longer than a page. Its cause is beyond the first page.
fn long_log() -> FakeTools {
    let mut tools = FakeTools::new();
    tools.answer = Box::new(|call| {
        let line = |n: usize| match n {
            3_000 => "3000 FATAL disk quota exceeded on /var/lib/ledger\n".to_owned(),
            n => format!("{n} handled a request\n"),
        };
        match call.tool.as_str() {
            "pods_list" => (1..=4_000).map(line).collect(),
            _ => "nothing".to_owned(),
        }
    });
    tools
}

/// Returns the observations after each of the model's search calls.
async fn told(
    strategy: IterationStrategy,
    searches: &[Value],
) -> (Vec<String>, FakeTools, FakeModel) {
    let call = |tool: &str, arguments: &Value| match strategy {
        IterationStrategy::Regular => native(&[(&tool.replace('.', "__"), arguments.clone())]),
        _ => act(tool, arguments),
    };
    let mut answers = vec![call("k8s.pods_list", &json!({}))];
    answers.extend(
        searches
            .iter()
            .map(|search| call("tarsy.search_result", search)),
    );
    answers.push(said("Final Answer: the quota"));
    let (model, tools) = (FakeModel::turns(answers), long_log());
    let recorder = MemoryRecorder::default();
    let brief = brief(strategy);
    let end = run(&brief, &model, &tools, &recorder, Transcript::default()).await;
    let output = output(&end.expect("an outcome")).clone();
    assert_eq!(
        output["tool_calls"],
        1 + searches.len(),
        "a search counts as a call"
    );
    assert_eq!(output["data_points"], 1, "and brings nothing new");
    let asked = model.asked();
    let told = asked
        .iter()
        .skip(2)
        .filter_map(|request| request.messages.last());
    (
        told.map(|message| message.content.clone()).collect(),
        tools,
        model,
    )
}

#[tokio::test(start_paused = true)]
async fn what_was_not_shown_is_found_without_another_call() {
    for strategy in [IterationStrategy::React, IterationStrategy::Regular] {
        let searches = [
            json!({"result": 2, "grep": "FATAL|panic", "after": 1}),
            json!({"result": 2, "count": "request"}),
            json!({"result": 2, "tail": 1}),
            json!({"result": "2", "around": 3_000, "before": 0, "after": 0}),
        ];
        let (told, tools, model) = told(strategy, &searches).await;
        assert_eq!(tools.called().len(), 1, "{strategy}");
        for (told, expected) in told.iter().zip([
            "1 of 4000 lines match `FATAL|panic`:\n3000: 3000 FATAL disk quota exceeded on /var/lib/ledger\n3001- 3001 handled",
            "3999 of 4000 lines match",
            "Lines 4000 to 4000 of 4000 lines:\n4000- 4000 handled a request",
            "3000: 3000 FATAL disk quota",
        ]) {
            assert!(told.contains(expected), "{strategy}: {told}");
        }
        let page = model.asked()[1]
            .messages
            .last()
            .expect("a page")
            .content
            .clone();
        assert!(!page.contains("FATAL"), "the page did not show it");
        assert!(
            page.contains("search all of it with tarsy.search_result {\"result\": 2, \"grep\": "),
            "{strategy}: the model is told how"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_search_that_can_not_be_made_is_refused_and_says_why() {
    let searches = [
        json!({"result": 99, "grep": "a"}),
        json!({"result": 2, "grep": "("}),
        json!({"result": 2}),
        json!({"grep": "a"}),
    ];
    let (told, tools, _) = told(IterationStrategy::React, &searches).await;
    assert_eq!(tools.called().len(), 1);
    for (told, expected) in told.iter().zip([
        "there is no result 99; there are 2",
        "is no regular expression: unclosed group",
        "one of `grep`, `count`, `around`, `tail` and `jq`",
        "`result` must be the number of an earlier result",
    ]) {
        assert!(
            told.contains("was refused") && told.contains(expected),
            "{told}"
        );
    }
}

/// A repeat is searched in the text of the call that it repeats.
#[tokio::test(start_paused = true)]
async fn a_repeat_and_a_failure_are_searched_too() {
    let answers = vec![
        act("k8s.pods_list", &json!({})),
        act("k8s.pods_list", &json!({})),
        act(
            "tarsy.search_result",
            &json!({"result": 4, "grep": "FATAL"}),
        ),
        act("tarsy.read_page", &json!({"result": 4, "page": 2})),
        said("Final Answer: the quota"),
    ];
    let (model, tools) = (FakeModel::turns(answers), long_log());
    let brief = brief(IterationStrategy::React);
    let recorder = MemoryRecorder::default();
    let end = run(&brief, &model, &tools, &recorder, Transcript::default()).await;
    end.expect("an outcome");
    let asked = model.asked();
    let last = |question: usize| &asked[question].messages.last().expect("a message").content;
    assert!(
        last(3).contains("3000: 3000 FATAL disk quota"),
        "{}",
        last(3)
    );
    assert!(last(4).contains("[page 2 of "), "{}", last(4));
}

fn step(tool: &str, input: &Value) -> ModelAnswer {
    let next = json!({"action": tool, "action_input": input});
    said(json!({"thought": "I look.", "next": next}).to_string())
}

#[tokio::test(start_paused = true)]
async fn a_step_in_json_may_search_once_a_result_is_longer_than_a_page() {
    let empty = json!({"result": 4, "grep": "FATAL", "count": null, "around": null, "tail": null, "jq": null, "before": null, "after": null});
    let model = FakeModel {
        enforces_schemas: true,
        reply_format: ReplyFormat::Json,
        ..FakeModel::turns(vec![
            step("k8s.events_list", &json!({})),
            step("k8s.pods_list", &json!({})),
            step("tarsy.search_result", &empty),
            said(json!({"thought": "t", "next": {"final_answer": "the quota"}}).to_string()),
        ])
    };
    let recorder = MemoryRecorder::default();
    let brief = brief(IterationStrategy::React);
    let end = run(
        &brief,
        &model,
        &long_log(),
        &recorder,
        Transcript::default(),
    )
    .await;
    assert_eq!(analysis(&end.expect("an outcome")), "the quota");
    let offered: Vec<bool> = model
        .asked()
        .iter()
        .map(|request| {
            request
                .response_schema
                .as_ref()
                .expect("a schema")
                .to_string()
                .contains("tarsy.search_result")
        })
        .collect();
    assert_eq!(offered, [false, false, true, true]);
    let last = &model.asked()[3]
        .messages
        .last()
        .expect("a message")
        .content
        .clone();
    assert!(last.contains("3000: 3000 FATAL disk quota"), "{last}");
}
