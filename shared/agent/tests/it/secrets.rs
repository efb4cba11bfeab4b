//! Secrets that a model writes: only the tool receives them.

use serde_json::json;
use tarsy_agent::Transcript;
use tarsy_model::IterationStrategy;

use crate::fakes::*;

fn answers() -> FakeTools {
    let mut tools = FakeTools::new();
    tools.answer = Box::new(|call| format!("{} ok", call.tool));
    tools
}

/// Returns the replies of a model that makes a call with a secret, twice, and names the secret in its conclusion.
fn script(strategy: IterationStrategy) -> Vec<tarsy_agent::ModelAnswer> {
    let arguments = json!({"query": format!("user root, {SECRET}")});
    let call = || match strategy {
        IterationStrategy::Regular => native(&[("k8s__pods_list", arguments.clone())]),
        _ => act("k8s.pods_list", &arguments),
    };
    vec![
        call(),
        call(),
        said(format!("Final Answer: The root account has {SECRET}.")),
    ]
}

#[tokio::test(start_paused = true)]
async fn only_the_tool_sees_a_secret_that_the_model_says() {
    for strategy in [IterationStrategy::React, IterationStrategy::Regular] {
        let (model, tools) = (FakeModel::turns(script(strategy)), answers());
        let recorder = MemoryRecorder::default();
        let outcome = run(
            &brief(strategy),
            &model,
            &tools,
            &recorder,
            Transcript::default(),
        )
        .await
        .expect("an end");
        assert!(analysis(&outcome).contains("The root account has [MASKED]."));
        let called = tools.called();
        assert_eq!(called.len(), 1, "the second is the same call: {called:?}");
        assert!(called[0].contains(SECRET), "{called:?}");
        let rows = json!(recorder.records()).to_string();
        assert!(
            !rows.contains(SECRET) && rows.contains("[MASKED]"),
            "{rows}"
        );
        for request in model.asked() {
            let messages = json!(request.messages).to_string();
            assert!(!messages.contains(SECRET), "{messages}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_resumed_stage_sends_no_tool_the_mark_that_stands_for_a_secret() {
    for strategy in [IterationStrategy::React, IterationStrategy::Regular] {
        let brief = brief(strategy);
        let (whole, recorder) = (
            FakeModel::turns(script(strategy)),
            MemoryRecorder::default(),
        );
        run(&brief, &whole, &answers(), &recorder, Transcript::default())
            .await
            .expect("an end");
        let writes = recorder.writes.lock().expect("unpoisoned").clone();
        let mut refused = 0;
        for died_after in 0..=writes.len() {
            let recorder = MemoryRecorder::default();
            *recorder.writes.lock().expect("unpoisoned") = writes[..died_after].to_vec();
            let (model, tools) = (FakeModel::turns(script(strategy)), answers());
            let transcript = Transcript::from_records(records(&writes[..died_after]));
            let outcome = run(&brief, &model, &tools, &recorder, transcript)
                .await
                .expect("an end");
            assert!(
                analysis(&outcome).contains("The root account"),
                "{died_after}"
            );
            let called = tools.called();
            assert!(
                called.iter().all(|call| call.contains(SECRET)),
                "died after {died_after}: {called:?}"
            );
            let asked = model.asked();
            // The conversation is the same, unless the secret of a call was lost. The model is then informed of it.
            let told = |request: &tarsy_llm::ChatRequest| {
                json!(request.messages)
                    .to_string()
                    .contains("secrets are not kept")
            };
            if asked.iter().any(told) {
                refused += 1;
                assert_eq!(called.len(), 1, "the model makes the call again");
            } else {
                let first = &whole.asked()[whole.asked().len() - asked.len()..];
                for (again, first) in asked.iter().zip(first) {
                    assert_eq!(again.messages, first.messages, "died after {died_after}");
                }
            }
        }
        assert_eq!(refused, 2, "after the answer, and after the call's intent");
    }
}
