//! A denied call is never made, and a resumed stage records it as denied.

use std::collections::BTreeMap;

use serde_json::json;
use tarsy_agent::{ApprovalRule, CallDecision, ModelAnswer, Transcript};
use tarsy_model::{IterationStrategy, RecordedInteraction};

use crate::fakes::*;

const WHY: &str = "denied by ada: not during the sale";

/// Restarts a pod with the interaction at place 2.
fn script() -> Vec<ModelAnswer> {
    vec![
        act("k8s.pods_restart", &json!({"pod": "x"})),
        said("Thought: done\nFinal Answer: Nothing was restarted."),
    ]
}

/// What is recorded, with the decision of a person about the call.
fn decided(rows: Vec<RecordedInteraction>) -> Transcript {
    let denied = CallDecision::Refused { why: WHY.into() };
    Transcript::from_records(rows).with_decisions(BTreeMap::from([(2, denied)]))
}

#[tokio::test(start_paused = true)]
async fn a_denied_call_stays_denied_wherever_its_worker_dies_and_whatever_is_configured_then() {
    for rule in [Some(ApprovalRule::Destructive), None] {
        let mut brief = brief(IterationStrategy::React);
        brief.approvals = rule
            .map(|rule| ("k8s".to_owned(), rule))
            .into_iter()
            .collect();
        let recorder = MemoryRecorder::default();
        let model = FakeModel::turns(script());
        let tools = FakeTools::new();
        let undisturbed = run(&brief, &model, &tools, &recorder, decided(vec![]));
        undisturbed.await.expect("a full run");
        let writes = recorder.writes.lock().expect("unpoisoned").clone();
        for died_after in 0..=writes.len() {
            let prefix = &writes[..died_after];
            let (model, tools) = (FakeModel::turns(script()), FakeTools::new());
            let recorder = MemoryRecorder::default();
            *recorder.writes.lock().expect("unpoisoned") = prefix.to_vec();
            let outcome = run(&brief, &model, &tools, &recorder, decided(records(prefix))).await;
            let outcome = outcome.unwrap_or_else(|e| panic!("died after {died_after}: {e}"));
            assert_eq!(analysis(&outcome), "Nothing was restarted.");
            assert_eq!(tools.called(), [""; 0], "died after {died_after}");
            let calls = recorder.tool_calls();
            let result = calls[0].result.as_ref().expect("a result");
            assert_eq!(
                (result.refused, result.error_message.as_deref()),
                (true, Some(WHY)),
                "died after {died_after}"
            );
        }
    }
}
