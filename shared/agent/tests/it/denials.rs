//! A denied call is never made, and a resumed stage records it as denied.

use std::collections::BTreeMap;

use serde_json::json;
use tarsy_agent::{
    Agent, ApprovalRule, CallDecision, CallTask, ModelAnswer, RunError, Task, Transcript,
};
use tarsy_model::{IterationStrategy, RecordedInteraction};
use tokio_util::sync::CancellationToken;

use crate::fakes::*;

const WHY: &str = "denied by ada: not during the sale";

/// Restarts a pod; the call is the interaction with sequence 2.
fn script() -> Vec<ModelAnswer> {
    vec![
        act("k8s.pods_restart", &json!({"pod": "x"})),
        said("Thought: done\nFinal Answer: Nothing was restarted."),
    ]
}

/// Returns the transcript of the rows, with a person's decision about the call.
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

/// Returns tools that accept only the pod `x`.
fn strict_tools() -> FakeTools {
    let mut tools = FakeTools::new();
    for tool in &mut tools.offers {
        tool.input_schema =
            json!({"type": "object", "properties": {"pod": {"enum": ["x"]}}, "required": ["pod"]});
    }
    tools
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_a_call_that_would_be_refused_as_invalid() {
    let mut brief = brief(IterationStrategy::React);
    brief.approvals = BTreeMap::from([("k8s".to_owned(), ApprovalRule::All)]);
    let recorder = MemoryRecorder::default();
    let model = FakeModel::turns(vec![
        act("k8s.pods_restart", &json!({"pod": "y"})),
        said("Thought: done\nFinal Answer: Nothing was restarted."),
    ]);
    let tools = strict_tools();
    let outcome = run(&brief, &model, &tools, &recorder, Transcript::default()).await;
    assert_eq!(
        analysis(&outcome.expect("nobody is asked")),
        "Nothing was restarted."
    );
    let refused = |recorder: &MemoryRecorder| {
        let call = recorder.tool_calls().pop().expect("a call");
        let result = call.result.expect("a result");
        (result.refused, result.error_message.unwrap_or_default())
    };
    let (is_refused, why) = refused(&recorder);
    assert!(
        is_refused && why.contains("invalid arguments of `k8s.pods_restart`"),
        "{why}"
    );
    assert_eq!(tools.called(), [""; 0]);

    // A person is asked about a valid call.
    let model = FakeModel::turns(script());
    let recorder = MemoryRecorder::default();
    let asked = run(&brief, &model, &tools, &recorder, Transcript::default()).await;
    assert!(matches!(asked, Err(RunError::Wait(_))), "{asked:?}");

    // The same holds for stages without a model.
    for (pod, is_asked) in [("y", false), ("x", true)] {
        let (model, recorder) = (FakeModel::turns(vec![]), MemoryRecorder::default());
        let agent = Agent {
            model: &model,
            summarizer: None,
            tools: &tools,
            recorder: &recorder,
        };
        let task = CallTask {
            server: "k8s".to_owned(),
            tool: "pods_list".to_owned(),
            arguments: json!({"pod": pod}),
        };
        let end = tokio::time::Instant::now() + STAGE;
        let stop = CancellationToken::new();
        let called = agent
            .run(Task::Call(&task), &brief, Transcript::default(), end, &stop)
            .await;
        match called {
            Err(RunError::Wait(call)) => assert!(is_asked, "{call:?}"),
            Ok((outcome, _)) => {
                assert!(!is_asked, "{outcome:?}");
                assert_eq!(failure(&outcome).0, "tool_refused");
            }
            Err(error) => panic!("{error}"),
        }
    }
}
