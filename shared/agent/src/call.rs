//! One tool call: a stage of kind `tool`.

use serde_json::{Value, json};
use tarsy_model::{EffectClass, McpResult};

use crate::approval::with_approval;
use crate::conclude::failed;
use crate::decision_context::DecisionContext;
use crate::next::{Action, tools_first};
use crate::open_calls::open_calls;
use crate::plan::{PlannedCall, refused, says_unknown};
use crate::transcript::Transcript;
use crate::{FailureClass, StageOutcome, paging};

/// Longest text that is handed on, in bytes.
const MAX_RESULT: usize = 120_000;

/// A call.
#[derive(Clone, Debug)]
pub struct CallTask {
    /// Server id.
    pub server: String,
    /// Tool name at the server.
    pub tool: String,
    /// Arguments, an object.
    pub arguments: Value,
}

/// Decides the next action of a call from what has happened.
pub(crate) fn next_call(
    task: &CallTask,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Action {
    if let Some(first) = tools_first(transcript, context) {
        return first;
    }
    let recorded: Vec<_> = transcript.calls_before(i32::MAX).collect();
    if let Some(result) = recorded.first().and_then(|call| call.result.as_ref()) {
        return Action::Finish(outcome(result, context));
    }
    if context.remaining.is_zero() {
        return Action::Finish(failed(
            FailureClass::Deadline,
            "the stage's time was up before the tool was called",
        ));
    }
    let begun = recorded.first().map(|call| call.intent.sequence);
    let offers = transcript.offers(context.servers);
    let offered = offers
        .iter()
        .find(|offer| offer.server == task.server && offer.name == task.tool);
    let call = PlannedCall {
        recorded: None,
        sequence: begun.unwrap_or_else(|| transcript.next_sequence()),
        iteration: 1,
        server: task.server.clone(),
        tool: task.tool.clone(),
        arguments: task.arguments.clone(),
        verbatim: None,
        tool_call_id: None,
        effect: offered.map_or(EffectClass::ReadOnly, |offer| offer.effect),
        pin: offered.map(|offer| offer.pin.clone()),
        task: None,
        answer: offered.is_none().then(|| {
            refused(format!(
                "server `{}` has no tool `{}`, or the tool changes something and the stage does not say `allow_destructive: true`",
                task.server, task.tool
            ))
        }),
    };
    match with_approval(call, transcript, context) {
        Ok(call) => Action::CallTools(open_calls(vec![call], &recorded, transcript)),
        Err(asked) => Action::Wait(asked),
    }
}

fn outcome(result: &McpResult, context: &DecisionContext<'_>) -> StageOutcome {
    if !result.success {
        let class = match (result.refused, says_unknown(result)) {
            (true, _) => FailureClass::ToolRefused,
            (false, true) => FailureClass::OutcomeUnknown,
            (false, false) => FailureClass::ToolFailed,
        };
        let why = result.error_message.clone();
        return failed(class, why.unwrap_or_else(|| paging::text_of(result)));
    }
    let mut text = paging::text_of(result);
    let data: Option<Value> = match result.truncated {
        true => None,
        false => serde_json::from_str(&text).ok(),
    };
    if text.len() > MAX_RESULT {
        text.truncate(text.floor_char_boundary(MAX_RESULT));
        text.push_str("\n[cut here]");
    }
    let mut output = json!({
        "result": text, "status": "completed", "agent": context.brief.agent, "tool_calls": 1,
        "truncated": result.truncated,
    });
    if let Some(data) = data {
        output["data"] = data;
    }
    StageOutcome::Completed {
        output,
        analysis: None,
    }
}
