//! Stages of kind `ask`.

use serde_json::Value;
use tarsy_agent::{Agent, AskTask, StageOutcome, Task, Transcript};
use tarsy_model::IterationStrategy;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fakes::*;

/// Returns whether the question's answer is data for the model's caller.
async fn is_data(schema: Option<(&str, Reader<'_>)>) -> bool {
    let model = FakeModel::turns(vec![said("{\"urgent\": true}")]);
    let recorder = MemoryRecorder::default();
    let agent = Agent {
        model: &model,
        summarizer: None,
        tools: &FakeTools::new(),
        recorder: &recorder,
    };
    let task = AskTask {
        prompt: "Is it urgent?",
        schema,
    };
    let outcome = agent
        .run(
            Task::Ask(task),
            &brief(IterationStrategy::React),
            Transcript::default(),
            Instant::now() + STAGE,
            &CancellationToken::new(),
        )
        .await;
    let (outcome, _) = outcome.expect("an outcome");
    assert!(matches!(outcome, StageOutcome::Completed { .. }));
    model.asked().pop().expect("a question").is_data
}

type Reader<'a> = &'a (dyn Fn(&str) -> Result<Value, String> + Send + Sync);

#[tokio::test(start_paused = true)]
async fn an_answer_is_data_where_it_has_a_schema() {
    let read = |text: &str| serde_json::from_str(text).map_err(|_| "no JSON".to_owned());
    assert!(is_data(Some(("{}", &read))).await);
    assert!(!is_data(None).await);
}

#[tokio::test(start_paused = true)]
async fn a_question_whose_answer_was_not_recorded_is_asked_again_in_its_row() {
    let model = FakeModel::turns(vec![said("no"), said("{\"urgent\": true}")]);
    let read = |text: &str| serde_json::from_str(text).map_err(|_| "no JSON".to_owned());
    let brief = brief(IterationStrategy::React);
    let ask = async |records, recorder: &MemoryRecorder| {
        let agent = Agent {
            model: &model,
            summarizer: None,
            tools: &FakeTools::new(),
            recorder,
        };
        let task = AskTask {
            prompt: "Is it urgent?",
            schema: Some(("{}", &read)),
        };
        let transcript = Transcript::from_records(records);
        let deadline = Instant::now() + STAGE;
        agent
            .run(
                Task::Ask(task),
                &brief,
                transcript,
                deadline,
                &CancellationToken::new(),
            )
            .await
    };
    let whole = MemoryRecorder::default();
    ask(Vec::new(), &whole).await.expect("an outcome");
    let writes = whole.writes.lock().expect("unpoisoned").clone();
    assert_eq!(records(&writes).len(), 2, "a question and its correction");
    for kept in 0..writes.len() {
        let recorder = MemoryRecorder::default();
        let before = records(&writes[..kept]);
        ask(before, &recorder).await.expect("an outcome");
        let more = recorder.writes.lock().expect("unpoisoned").clone();
        let rows = records(&[&writes[..kept], &more].concat());
        assert_eq!(rows.len(), 2, "after {kept} writes: {rows:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn half_of_what_was_sent_is_sent_after_a_refusal() {
    // The agent does not know the real window: the provider accepts 16,000 characters.
    let model = takes(16_000);
    let prompt = "why? ".repeat(6_000);
    let agent = Agent {
        model: &model,
        summarizer: None,
        tools: &FakeTools::new(),
        recorder: &MemoryRecorder::default(),
    };
    let task = AskTask {
        prompt: &prompt,
        schema: None,
    };
    let brief = brief(IterationStrategy::React);
    let until = Instant::now() + STAGE;
    let outcome = agent
        .run(
            Task::Ask(task),
            &brief,
            Transcript::default(),
            until,
            &CancellationToken::new(),
        )
        .await;
    let (outcome, _) = outcome.expect("an outcome");
    assert!(
        matches!(outcome, StageOutcome::Completed { .. }),
        "{outcome:?}"
    );
    assert_eq!(model.asked().len(), 2);
}
