//! Replies that do not stop: up to the token limit, or into made-up results.

use serde_json::json;
use tarsy_llm::ChatRequest;
use tarsy_model::{IterationStrategy, ReplyFormat};

use crate::fakes::*;
use crate::strategies::outcome_of;

/// Small models may repeat one passage until their token limit.
#[tokio::test(start_paused = true)]
async fn a_conclusion_in_json_that_is_cut_is_read_as_far_as_it_goes() {
    let passage = "The node has been NotReady since 10:40Z. ".repeat(9);
    for (written, meant) in [
        (
            format!(r#"{{"final_answer": "It fails.\n\n{passage}"#),
            "It fails.\n\nThe node",
        ),
        (format!(r#"{{"thought": "{passage}"#), "The node"),
    ] {
        let model = FakeModel::new(move |request: &ChatRequest| {
            let schema = request.response_schema.as_ref().expect("a schema");
            match schema.to_string().contains("pods_list") {
                true => act("k8s.pods_list", &json!({"n": request.assistant_turns()})),
                false => said(written.clone()),
            }
        });
        let model = FakeModel {
            enforces_schemas: true,
            reply_format: ReplyFormat::Json,
            ..model
        };
        let end = outcome_of(IterationStrategy::React, &model).await;
        let whole =
            format!("{meant} has been NotReady since 10:40Z.\n\n[the model repeated this passage]");
        assert_eq!(analysis(&end), whole);
    }
}

/// A model that reads its own endless thought writes it again.
#[tokio::test(start_paused = true)]
async fn a_thought_that_is_cut_is_not_read_again() {
    let mut thought = said("Thought: The logs show no issue, which is good. ".repeat(90));
    thought.result.finish_reason = Some("max_tokens".to_owned());
    let model = FakeModel::turns(vec![
        thought,
        act("k8s.pods_list", &json!({})),
        said("Final Answer: ok"),
    ]);
    let end = outcome_of(IterationStrategy::React, &model).await;
    assert_eq!(analysis(&end), "ok");
    let asked = &model.asked()[1].messages;
    let (shown, told) = (&asked[2].content, &asked[3].content);
    assert!(shown.starts_with("Thought: The logs") && shown.len() == 400);
    assert!(
        told.starts_with("Observation: Your reply reached the limit of tokens"),
        "{told}"
    );
}

/// The text after a mark in a conclusion is lost, so the conclusion is not accepted.
#[tokio::test(start_paused = true)]
async fn a_conclusion_that_stops_at_a_mark_is_written_again() {
    let model = FakeModel::turns(vec![
        act("k8s.pods_list", &json!({})),
        said("Final Answer: The quota.\n\n## Evidence\n\n<<<TOOL RESULT"),
        said("Final Answer: The quota <<<of pods>>>."),
    ]);
    let end = outcome_of(IterationStrategy::React, &model).await;
    assert_eq!(analysis(&end), "The quota <<<of pods>>>.");
    let asked = model.asked();
    let told = &asked[2].messages.last().expect("a message").content;
    assert!(told.contains("without their marks"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_model_stops_where_it_makes_up_a_result_or_repeats_its_question() {
    let model = FakeModel::turns(vec![said("Final Answer: ok")]);
    outcome_of(IterationStrategy::ReactStage, &model).await;
    let asked = model.asked().remove(0);
    let question = &asked.messages[1].content;
    let marks = asked
        .stop_sequences
        .iter()
        .filter(|stop| question.contains(stop.as_str()));
    assert_eq!(
        (asked.stop_sequences.len(), marks.count()),
        (4, 1),
        "{:?}",
        asked.stop_sequences
    );
}
