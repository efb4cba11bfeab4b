//! Long results that another model summarises.

use serde_json::{Value, json};
use tarsy_agent::{Agent, AgentBrief, AnswerEvidence, ModelAnswer, StageOutcome, Task, Transcript};
use tarsy_model::{IterationStrategy, LlmPurpose, RecordedInteraction, RecordedLlm};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fakes::*;

const CAUSE: &str = "FATAL disk quota exceeded on /var/lib/ledger";

/// Returns tools with a log of about 80,000 characters. Its cause is beyond the first page.
fn long_log() -> FakeTools {
    let mut tools = FakeTools::new();
    tools.answer = Box::new(|call| {
        let line = |n: usize| match n {
            3_000 => format!("3000 {CAUSE}\n"),
            n => format!("{n} handled a request\n"),
        };
        match call.tool.as_str() {
            "pods_list" => (1..=4_000).map(line).collect(),
            _ => "nothing".to_owned(),
        }
    });
    tools
}

fn summarizer() -> FakeModel {
    FakeModel::new(|request| {
        let text = &request.messages[1].content;
        said(match text.contains(CAUSE) {
            true => format!("4000 lines; one is unusual: {CAUSE}; node ledger-node-7"),
            false => "nothing unusual".to_owned(),
        })
    })
}

fn script(strategy: IterationStrategy) -> Vec<ModelAnswer> {
    let call = |tool: &str, input: &Value| match strategy {
        IterationStrategy::Regular => native(&[(&tool.replace('.', "__"), input.clone())]),
        _ => act(tool, input),
    };
    vec![
        call("k8s.events_list", &json!({})),
        call("k8s.pods_list", &json!({})),
        call(
            "tarsy.search_result",
            &json!({"result": 4, "grep": "FATAL"}),
        ),
        call("k8s.pods_list", &json!({})),
        said("Final Answer: the quota of /var/lib/ledger"),
    ]
}

async fn investigate(
    brief: &AgentBrief,
    model: &FakeModel,
    summarizer: &FakeModel,
    recorder: &MemoryRecorder,
    transcript: Transcript,
) -> (StageOutcome, Transcript) {
    let tools = long_log();
    let agent = Agent {
        model,
        summarizer: Some(summarizer),
        tools: &tools,
        recorder,
    };
    let (deadline, stop) = (Instant::now() + STAGE, CancellationToken::new());
    let end = agent
        .run(Task::Investigate, brief, transcript, deadline, &stop)
        .await
        .expect("an outcome");
    assert!(tools.called().len() <= 2, "{:?}", tools.called());
    end
}

fn summaries(recorder: &MemoryRecorder) -> Vec<RecordedLlm> {
    let rows = recorder.records().into_iter();
    rows.filter_map(|row| match row {
        RecordedInteraction::Llm(llm) if llm.intent.purpose == LlmPurpose::ResultSummary => {
            Some(llm)
        }
        _ => None,
    })
    .collect()
}

#[tokio::test(start_paused = true)]
async fn a_summary_stands_in_for_the_first_page_and_the_result_stays_searchable() {
    for strategy in [IterationStrategy::React, IterationStrategy::Regular] {
        let (model, summarizer) = (FakeModel::turns(script(strategy)), summarizer());
        let recorder = MemoryRecorder::default();
        let brief = brief(strategy);
        let (end, _) = investigate(
            &brief,
            &model,
            &summarizer,
            &recorder,
            Transcript::default(),
        )
        .await;

        let output = output(&end);
        assert_eq!(output["iterations"], 5, "summaries are no iterations");
        assert_eq!(output["tool_calls"], 4);
        assert_eq!(output["usage"]["input_tokens"], 600, "but they are counted");

        let asked = model.asked();
        let told = |n: usize| asked[n].messages.last().expect("told").content.clone();
        assert!(
            told(1).contains("nothing"),
            "a short result is shown as it is"
        );
        for shown in [told(2), told(4)] {
            assert!(shown.contains(CAUSE), "{strategy}: {shown}");
            assert!(
                shown.contains("[summary by another model of result 4, which has 90920 characters"),
                "{strategy}: {shown}"
            );
            assert!(
                !shown.contains("1 handled a request"),
                "{strategy}: {shown}"
            );
        }
        assert!(
            told(3).contains("1 of 4000 lines match `FATAL`"),
            "{strategy}: {}",
            told(3)
        );

        let bought = summarizer.asked();
        assert_eq!(bought.len(), 1, "the repeated call has the same summary");
        let sent = &bought[0].messages[1].content;
        assert!(sent.contains("4000 handled a request"), "all of it is read");
        assert!(sent.contains("NamespaceTerminating"), "for this alert");
        let kept = summaries(&recorder);
        assert_eq!(kept.len(), 1);
        let kept = kept[0].intent.new_messages.to_string();
        assert!(
            kept.contains("on record as result 4") && !kept.contains("handled a request"),
            "the result is on record once: {kept}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_summary_the_first_page_is_shown_and_nothing_is_waited_for() {
    for failed in [
        error("rate_limited", Some(300)),
        error("connection", None),
        said(" "),
    ] {
        let summarizer = FakeModel::new(move |_| failed.clone());
        let strategy = IterationStrategy::React;
        let (model, recorder) = (
            FakeModel::turns(script(strategy)),
            MemoryRecorder::default(),
        );
        let begun = Instant::now();
        let brief = brief(strategy);
        let (end, _) = investigate(
            &brief,
            &model,
            &summarizer,
            &recorder,
            Transcript::default(),
        )
        .await;
        assert_eq!(analysis(&end), "the quota of /var/lib/ledger");
        assert_eq!(begun.elapsed().as_secs(), 0);
        assert_eq!(summarizer.asked().len(), 1, "it is asked once");
        let page = &model.asked()[2]
            .messages
            .last()
            .expect("told")
            .content
            .clone();
        assert!(page.contains("1 handled a request"), "{page}");
        assert!(page.contains("[page 1 of "), "{page}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stage_that_is_killed_anywhere_buys_no_summary_twice_and_asks_the_same() {
    let strategy = IterationStrategy::React;
    let brief = brief(strategy);
    let (whole, recorder) = (
        FakeModel::turns(script(strategy)),
        MemoryRecorder::default(),
    );
    investigate(
        &brief,
        &whole,
        &summarizer(),
        &recorder,
        Transcript::default(),
    )
    .await;
    let writes = recorder.writes.lock().expect("unpoisoned").clone();
    for died_after in 0..=writes.len() {
        let prefix = &writes[..died_after];
        let rows = records(prefix);
        let answered = rows.iter().filter(
            |row| matches!(row, RecordedInteraction::Llm(l) if l.result.is_some() && l.intent.purpose != LlmPurpose::ResultSummary),
        );
        let answered = answered.count();
        let is_summarised = rows.iter().any(
            |row| matches!(row, RecordedInteraction::Llm(l) if l.result.is_some() && l.intent.purpose == LlmPurpose::ResultSummary),
        );
        let recorder = MemoryRecorder::default();
        *recorder.writes.lock().expect("unpoisoned") = prefix.to_vec();
        let (model, summarizer) = (FakeModel::turns(script(strategy)), summarizer());
        let transcript = Transcript::from_records(rows);
        investigate(&brief, &model, &summarizer, &recorder, transcript).await;
        assert_eq!(
            summarizer.asked().len(),
            usize::from(!is_summarised),
            "died after {died_after}"
        );
        for (again, first) in model.asked().iter().zip(&whole.asked()[answered..]) {
            assert_eq!(again.messages, first.messages, "died after {died_after}");
        }
        let kept = recorder.records();
        let sequences: Vec<i32> = kept.iter().map(RecordedInteraction::sequence).collect();
        let gapless: Vec<i32> = (0..).take(sequences.len()).collect();
        assert_eq!(sequences, gapless, "died after {died_after}");
        assert_eq!(summaries(&recorder).len(), 1, "died after {died_after}");
    }
}

/// The summary names a node that occurs in no result.
#[tokio::test(start_paused = true)]
async fn an_answer_is_checked_against_results_and_not_against_summaries() {
    let brief = brief(IterationStrategy::React);
    let script = vec![
        act("k8s.pods_list", &json!({})),
        said(format!(
            "Final Answer: `{CAUSE}`, on the node `ledger-node-7`."
        )),
    ];
    let (model, recorder) = (FakeModel::turns(script), MemoryRecorder::default());
    let (end, transcript) = investigate(
        &brief,
        &model,
        &summarizer(),
        &recorder,
        Transcript::default(),
    )
    .await;
    let check = AnswerEvidence::new(&transcript, &brief).check(analysis(&end), output(&end));
    assert_eq!(check.unknown_names, ["ledger-node-7"]);
}

#[tokio::test(start_paused = true)]
async fn a_result_beyond_the_summarizers_window_is_said_to_be_read_in_part() {
    let strategy = IterationStrategy::React;
    let summarizer = FakeModel {
        window: 10_000,
        ..summarizer()
    };
    let (model, recorder) = (
        FakeModel::turns(script(strategy)),
        MemoryRecorder::default(),
    );
    let brief = brief(strategy);
    investigate(
        &brief,
        &model,
        &summarizer,
        &recorder,
        Transcript::default(),
    )
    .await;
    let sent = &summarizer.asked()[0].messages[1].content;
    assert!(sent.len() < 40_000, "{} characters", sent.len());
    assert!(sent.contains("characters left out here"));
    assert!(sent.contains("4000 handled a request"), "the end is sent");
    let shown = &model.asked()[2]
        .messages
        .last()
        .expect("told")
        .content
        .clone();
    assert!(
        shown.contains("[summary by another model of beginning and end of result 4, "),
        "{shown}"
    );
}
