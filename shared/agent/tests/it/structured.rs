//! Structured output after a conclusion: claims with the calls that show them.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_agent::{
    AgentBrief, CitableCall, ModelAnswer, OutputTask, StageOutcome, Transcript, Verification,
};
use tarsy_llm::ChatRequest;
use tarsy_model::{InteractionId, IterationStrategy, LlmPurpose, RecordedInteraction};

use crate::fakes::*;

const PROSE: &str = "It was the finalizer: the controller is gone.";

/// Returns whether a request asks for the structured output, by the text of its prompt.
fn is_structured(request: &ChatRequest) -> bool {
    let first = request.messages.get(1);
    first.is_some_and(|message| message.content.contains("## Conclusion"))
}

/// Parses claims as the schema requires: an object whose `claims` are objects with text and calls.
fn read(reply: &str) -> Result<Value, String> {
    let data: Value = serde_json::from_str(reply).map_err(|_| "the reply holds no JSON value")?;
    let claims = data["claims"].as_array().ok_or("`claims` is missing")?;
    let is_claim = |claim: &Value| claim["text"].is_string() && claim["calls"].is_array();
    match claims.iter().all(is_claim) && claims.len() <= 30 {
        true => Ok(data),
        false => Err("/claims: it does not match".to_owned()),
    }
}

fn claims(earlier_calls: Vec<CitableCall>) -> AgentBrief {
    AgentBrief {
        output: Some(OutputTask {
            members: "`claims`".to_owned(),
            read: Arc::new(read),
            has_claims: true,
            has_label: false,
            verification: None,
            earlier_calls,
        }),
        ..brief(IterationStrategy::React)
    }
}

/// Returns a model that calls a tool, concludes, and answers the n-th structured question with the n-th of these
/// answers.
fn model(answers: Vec<ModelAnswer>) -> FakeModel {
    FakeModel::new(move |request| {
        let turn = request.assistant_turns();
        match (is_structured(request), turn) {
            (true, n) => answers[n.min(answers.len() - 1)].clone(),
            (false, 0) => act("k8s.pods_list", &json!({"namespace": "a"})),
            (false, 1) => act("k8s.no_such_tool", &json!({})),
            (false, _) => said(format!("Thought: done\nFinal Answer: {PROSE}")),
        }
    })
}

async fn outcome(brief: &AgentBrief, model: &FakeModel) -> (Value, MemoryRecorder) {
    let recorder = MemoryRecorder::default();
    let ran = run(
        brief,
        model,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await;
    let StageOutcome::Completed { output, analysis } = ran.expect("an outcome") else {
        panic!("it failed");
    };
    assert_eq!(analysis.as_deref(), Some(PROSE), "the prose stays");
    assert_eq!(output["result"], PROSE);
    (output, recorder)
}

fn claim(text: &str, calls: &[&str]) -> Value {
    json!({"text": text, "calls": calls})
}

#[tokio::test(start_paused = true)]
async fn each_claim_leads_to_the_calls_that_show_it() {
    let earlier = CitableCall {
        id: InteractionId::generate(),
        call: "events_list of k8s".into(),
        result: "FailedDelete".into(),
        success: true,
    };
    let said_claims = json!({"claims": [
        claim("The claim is stuck.", &["c1", "c2"]),
        claim("The controller is gone.", &["`C2`", "c99"]),
        claim("Nobody noticed.", &[]),
        claim("The tool says so.", &["c3"]),
        claim("A ghost says so.", &["c77", "0198c1a0-0000-7000-8000-000000000001"]),
    ]});
    let model = model(vec![said(said_claims.to_string())]);
    let (output, recorder) = outcome(&claims(vec![earlier.clone()]), &model).await;
    let own = recorder.tool_calls()[0].intent.interaction_id;
    let ids = |n: usize| -> Vec<Value> {
        let calls = output["claims"][n]["calls"].as_array().unwrap();
        calls
            .iter()
            .map(|call| call["interaction_id"].clone())
            .collect()
    };
    assert_eq!(ids(0), [json!(earlier.id), json!(own)]);
    assert_eq!(ids(1), [json!(own)]);
    let why: Vec<_> = (0..5)
        .map(|n| output["claims"][n]["not_shown"].as_str())
        .collect();
    assert_eq!(why[..3], [None, None, Some("it cites no call")]);
    assert_eq!(why[3], Some("it cites only calls that failed"));
    assert_eq!(why[4], Some("it cites calls that do not exist"));
    let asked = model.asked().pop().unwrap();
    assert!(asked.tools.is_empty());
    let prompt = &asked.messages[1].content;
    assert!(
        prompt.contains("FailedDelete") && prompt.contains("pods_list says"),
        "{prompt}"
    );
    let usage = &output["usage"]["output_tokens"];
    assert_eq!(usage, &json!(40), "its tokens are counted: {output}");
}

#[tokio::test(start_paused = true)]
async fn a_wrong_answer_is_corrected_twice_at_most_and_costs_no_stage() {
    let good = said(json!({"claims": [claim("It is so.", &["c1"])]}).to_string());
    let huge = "x".repeat(300_000);
    let hostile = [
        "no JSON at all".to_owned(),
        json!({"claims": "all of it"}).to_string(),
        json!({"claims": [claim(&huge, &["c1"])]}).to_string(),
        json!({"claims": vec![claim("again", &[]); 1000]}).to_string(),
        "[".repeat(100_000),
        json!([{"claims": [1, null, {"text": 7, "calls": {"c1": true}}]}]).to_string(),
    ];
    for wrong in hostile {
        let corrected = model(vec![said(wrong.clone()), said(wrong.clone()), good.clone()]);
        let (output, _) = outcome(&claims(Vec::new()), &corrected).await;
        assert_eq!(output["claims"][0].get("not_shown"), None);
        let asked = corrected.asked().pop().unwrap();
        let length: usize = asked.messages.iter().map(|m| m.content.len()).sum();
        assert!(
            length < 60_000,
            "what is wrong is not sent back whole: {length}"
        );

        let stubborn = model(vec![said(wrong)]);
        let (output, _) = outcome(&claims(Vec::new()), &stubborn).await;
        assert_eq!(output.get("claims"), None);
        let why = output["output_error"].as_str().unwrap();
        assert!(why.contains("after 2 corrections"), "{why}");
        let questions = stubborn.asked().iter().filter(|r| is_structured(r)).count();
        assert_eq!(questions, 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_at_it_leaves_the_prose() {
    let failing = model(vec![error("auth", None)]);
    let (output, _) = outcome(&claims(Vec::new()), &failing).await;
    assert_eq!(output.get("claims"), None);
    assert!(
        output["output_error"]
            .as_str()
            .unwrap()
            .contains("the provider said auth")
    );
}

/// Returns the questions among the rows that these writes leave: sequence, purpose, and whether they have an answer.
fn questions(writes: &[Write]) -> Vec<(i32, LlmPurpose, bool)> {
    let rows = records(writes).into_iter().filter_map(|row| match row {
        RecordedInteraction::Llm(llm) => Some((
            llm.intent.sequence,
            llm.intent.purpose,
            llm.result.is_some(),
        )),
        RecordedInteraction::Mcp(_) => None,
    });
    rows.collect()
}

#[tokio::test(start_paused = true)]
async fn killed_anywhere_it_buys_nothing_twice_and_ends_the_same() {
    let brief = claims(Vec::new());
    let answers = || {
        vec![
            said("not yet"),
            said(json!({"claims": [claim("It is so.", &["c1"])]}).to_string()),
        ]
    };
    let (whole, recorder) = outcome(&brief, &model(answers())).await;
    let writes = recorder.writes.lock().unwrap().clone();
    let whole_rows = questions(&writes);
    assert!(whole_rows.iter().all(|(_, _, answered)| *answered));
    let structured = |records: &[RecordedInteraction]| {
        let llm = records.iter().filter(|record| match record {
            RecordedInteraction::Llm(llm) => {
                llm.intent.purpose == LlmPurpose::StructuredOutput && llm.result.is_some()
            }
            RecordedInteraction::Mcp(_) => false,
        });
        llm.count()
    };
    for kept in 0..writes.len() {
        let records = records(&writes[..kept]);
        let answered = records.iter().filter(|record| match record {
            RecordedInteraction::Llm(llm) => llm.result.is_some(),
            RecordedInteraction::Mcp(_) => false,
        });
        let (answered, before) = (answered.count(), structured(&records));
        let model = model(answers());
        let recorder = MemoryRecorder::default();
        let ran = run(
            &brief,
            &model,
            &FakeTools::new(),
            &recorder,
            Transcript::from_records(records),
        )
        .await;
        let StageOutcome::Completed { output, .. } = ran.unwrap() else {
            panic!("it failed after {kept} writes");
        };
        assert_eq!(output["claims"][0]["text"], whole["claims"][0]["text"]);
        assert_eq!(output["result"], PROSE);
        assert_eq!(model.asked().len(), 5 - answered, "after {kept} writes");
        let asked = model.asked().iter().filter(|r| is_structured(r)).count();
        assert_eq!(asked, 2 - before, "after {kept} writes");
        // A question that was begun keeps its row, so no unanswered row is left next to another.
        let both = [&writes[..kept], &recorder.writes.lock().unwrap()].concat();
        assert_eq!(questions(&both), whole_rows, "after {kept} writes");
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_answer_for_programs_is_data() {
    let good = said(json!({"claims": [claim("It is so.", &["c1"])]}).to_string());
    let model = model(vec![said("no JSON"), good]);
    outcome(&claims(Vec::new()), &model).await;
    let asked = model.asked();
    for request in &asked {
        assert_eq!(request.is_data, is_structured(request));
    }
    let data = asked.iter().filter(|request| request.is_data).count();
    assert_eq!(data, 2, "the correction too");
}

/// Returns a brief that only requests a label, as in a chain with labels.
fn labelled() -> AgentBrief {
    let read = |reply: &str| {
        Ok(match reply {
            "noise" | "action" => json!({"label": reply}),
            _ => json!({"label_error": format!("`{reply}` is no label")}),
        })
    };
    AgentBrief {
        output: Some(OutputTask {
            members: "`label`: exactly one of `noise`, `action`".to_owned(),
            read: Arc::new(read),
            has_claims: false,
            has_label: true,
            verification: None,
            earlier_calls: Vec::new(),
        }),
        ..brief(IterationStrategy::React)
    }
}

#[tokio::test(start_paused = true)]
async fn a_label_is_asked_for_once_more_and_then_left_out() {
    let corrected = model(vec![said("urgent"), said("action")]);
    let (output, _) = outcome(&labelled(), &corrected).await;
    assert_eq!(
        (&output["label"], output.get("claims")),
        (&json!("action"), None)
    );
    let asked = corrected.asked().pop().unwrap();
    assert!(asked.messages[3].content.contains("`urgent` is no label"));
    let prompt = &asked.messages[1].content;
    assert!(
        !prompt.contains("## Calls") && prompt.contains(PROSE),
        "{prompt}"
    );

    let stubborn = model(vec![said("urgent")]);
    let (output, _) = outcome(&labelled(), &stubborn).await;
    let none = (output.get("label"), &output["label_error"]);
    assert_eq!(none, (None, &json!("`urgent` is no label")));
    let questions = stubborn.asked().iter().filter(|r| is_structured(r)).count();
    assert_eq!(questions, 2, "once more, not twice");

    let failing = model(vec![error("auth", None)]);
    let (output, _) = outcome(&labelled(), &failing).await;
    let why = output["label_error"].as_str().unwrap();
    assert!(why.contains("the provider said auth"), "{why}");
    assert_eq!(
        (output.get("output_error"), output.get("label")),
        (None, None)
    );
}

#[tokio::test(start_paused = true)]
async fn killed_anywhere_it_gives_the_same_label_and_buys_nothing_twice() {
    for answers in [vec!["urgent", "action"], vec!["urgent", "urgent"]] {
        let answers = || answers.iter().map(|text| said(*text)).collect::<Vec<_>>();
        let (whole, recorder) = outcome(&labelled(), &model(answers())).await;
        let writes = recorder.writes.lock().unwrap().clone();
        for kept in 0..=writes.len() {
            let records = records(&writes[..kept]);
            let answered = records.iter().filter(|record| match record {
                RecordedInteraction::Llm(llm) => llm.result.is_some(),
                RecordedInteraction::Mcp(_) => false,
            });
            let answered = answered.count();
            let model = model(answers());
            let ran = run(
                &labelled(),
                &model,
                &FakeTools::new(),
                &MemoryRecorder::default(),
                Transcript::from_records(records),
            )
            .await;
            let StageOutcome::Completed { output, .. } = ran.unwrap() else {
                panic!("it failed after {kept} writes");
            };
            for name in ["label", "label_error", "result"] {
                assert_eq!(output.get(name), whole.get(name), "after {kept} writes");
            }
            assert_eq!(model.asked().len(), 5 - answered, "after {kept} writes");
        }
    }
}

/// Returns the brief of a stage that verifies two claims of an earlier stage, which cite one of its calls.
fn verifying() -> AgentBrief {
    let cited = CitableCall {
        id: InteractionId::generate(),
        call: "events_list of k8s".into(),
        result: "FailedDelete: finalizer".into(),
        success: true,
    };
    let call = json!({"interaction_id": cited.id, "call": cited.call});
    let output = json!({"result": "It is the finalizer.", "claims": [
        {"text": "The delete failed.", "calls": [call]}, {"text": "Nobody noticed.", "calls": []},
    ]});
    let verification = Verification::from_output("analysis", &output).expect("claims");
    let brief = brief(IterationStrategy::React);
    AgentBrief {
        output: Some(OutputTask {
            members: "`checks`".to_owned(),
            read: Arc::new(|reply: &str| {
                serde_json::from_str(reply).map_err(|_| "the reply holds no JSON value".to_owned())
            }),
            has_claims: false,
            has_label: false,
            earlier_calls: verification.cited(vec![cited]),
            verification: Some(verification),
        }),
        ..brief
    }
}

#[tokio::test(start_paused = true)]
async fn a_stage_that_verifies_sees_claims_and_excerpts_and_ends_the_same_wherever_it_dies() {
    let checks = json!({"checks": [
        {"claim": "k1", "finding": "holds", "excerpt": "FailedDelete"},
        {"claim": "k2", "finding": "refuted", "excerpt": "pods_list says"},
    ]});
    let conclusion = || said("Thought: done\nFinal Answer: The second is wrong.");
    let new_model = || {
        let checks = checks.to_string();
        FakeModel::new(
            move |request| match (is_structured(request), request.assistant_turns()) {
                (true, 0) => said("I am sure."),
                (true, _) => said(checks.clone()),
                (false, 0) => act("k8s.pods_list", &json!({"namespace": "a"})),
                (false, _) => conclusion(),
            },
        )
    };
    let brief = verifying();
    let (model, recorder) = (new_model(), MemoryRecorder::default());
    let whole = run(
        &brief,
        &model,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await;
    let whole = output(&whole.unwrap()).clone();
    assert_eq!(whole["data"]["checks"][0]["finding"], "holds");
    assert_eq!(whole["data"]["refuted"], 1, "{whole}");
    let result = whole["result"].as_str().unwrap();
    assert!(
        result.starts_with("1 of 2 claims refuted.") && result.ends_with("The second is wrong.")
    );
    let asked = model.asked();
    assert_eq!(asked.len(), 4);
    let question = &asked[0].messages[1].content;
    for said in [
        "k1 (cites c1): The delete failed.",
        "k2: Nobody noticed.",
        "FailedDelete: finalizer",
    ] {
        assert!(question.contains(said), "{said} in {question}");
    }
    for other in ["## Runbook", "## Earlier Stages", "Titled Root cause"] {
        assert!(!question.contains(other), "{other} in {question}");
    }
    let writes = recorder.writes.lock().unwrap().clone();
    for kept in 0..=writes.len() {
        let records = records(&writes[..kept]);
        let answered = records.iter().filter(|record| match record {
            RecordedInteraction::Llm(llm) => llm.result.is_some(),
            RecordedInteraction::Mcp(_) => false,
        });
        let (answered, model) = (answered.count(), new_model());
        let recorder = MemoryRecorder::default();
        let transcript = Transcript::from_records(records);
        let ran = run(&brief, &model, &FakeTools::new(), &recorder, transcript).await;
        let again = output(&ran.unwrap()).clone();
        assert_eq!(again["data"], whole["data"], "after {kept} writes");
        assert_eq!(model.asked().len(), 4 - answered, "after {kept} writes");
    }
}
