//! A stage of kind `tool`: one tool call.

use serde_json::{Value, json};
use tarsy_model::McpResult;

use crate::action::Action;
use crate::decision_context::DecisionContext;
use crate::plan::{PlannedCall, refused, says_unknown};
use crate::{FailureClass, StageOutcome, paging};

/// Longest result text that is handed on to later stages, in bytes.
const MAX_RESULT: usize = 120_000;

/// Task of a stage of kind `tool`.
#[derive(Clone, Debug)]
pub struct CallTask {
    /// Server id.
    pub server: String,
    /// Tool name at the server.
    pub tool: String,
    /// Arguments, an object.
    pub arguments: Value,
}

impl CallTask {
    /// Decides the next action of the call from the record so far.
    pub(crate) fn next(&self, context: &DecisionContext<'_>) -> Action {
        if let Some(first) = context.tools_first() {
            return first;
        }
        let recorded: Vec<_> = context.transcript.calls().collect();
        let begun = recorded.first();
        if let Some(result) = begun.and_then(|call| call.result.as_ref()) {
            return ended(result, context);
        }
        if context.remaining.is_zero() {
            let why = "the stage's time was up before the tool was called";
            return Action::fail(FailureClass::Deadline, why);
        }
        let sequence = match begun {
            Some(call) => call.intent.sequence,
            None => context.transcript.next_sequence(),
        };
        let (server, tool) = (&self.server, &self.tool);
        let mut call = PlannedCall::new(sequence, 1, tool, self.arguments.clone());
        call.server.clone_from(server);
        let mut offers = context.offers().into_iter();
        match offers.find(|offer| offer.server == *server && offer.name == *tool) {
            Some(offer) => call.choose(&offer),
            None => {
                call.answer = Some(refused(format!(
                    "server `{server}` has no tool `{tool}`, or the tool changes something and the stage does not say `allow_destructive: true`"
                )))
            }
        }
        context.make_calls(context.open_calls(vec![call], &recorded), None)
    }
}

fn ended(result: &McpResult, context: &DecisionContext<'_>) -> Action {
    let mut text = paging::text_of(result);
    if !result.success {
        let class = match (result.refused, says_unknown(result)) {
            (true, _) => FailureClass::ToolRefused,
            (false, true) => FailureClass::OutcomeUnknown,
            (false, false) => FailureClass::ToolFailed,
        };
        return Action::fail(class, result.error_message.clone().unwrap_or(text));
    }
    let data = match result.truncated {
        true => None,
        false => serde_json::from_str::<Value>(&text).ok(),
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
    Action::Finish(StageOutcome::Completed {
        output,
        analysis: None,
    })
}
