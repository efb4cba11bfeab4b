//! Plans the tool calls of an answer.

use serde_json::Value;
use tarsy_mcp::{ToolInfo, ToolPin};
use tarsy_model::{
    CommunicationType, EffectClass, InteractionId, McpIntent, McpResult, RecordedMcp,
};

use crate::SUB_AGENTS_SERVER;
use crate::decision_context::DecisionContext;
use crate::own_tools;
use crate::paging::{self, OWN_SERVER};
use crate::resolve::{Unresolved, resolve};
use crate::tool_catalog::{self, FIND_TOOLS};

/// Prefix of the error message of a call that may or may not have taken effect.
pub(crate) const OUTCOME_UNKNOWN: &str = "outcome unknown";

const MADE_ONCE: &str = "the outcome of the same call before is unknown and it must not be made twice; find \
out by reading whether it took effect";

/// One tool call as the core wants it made and recorded.
#[derive(Clone, Debug)]
pub struct PlannedCall {
    /// Id of the intent's row, if the intent is already recorded (the stage was resumed).
    pub recorded: Option<InteractionId>,
    /// Position among all interactions.
    pub sequence: i32,
    /// Iteration of the call.
    pub iteration: i32,
    /// Server id; empty if the tool does not exist.
    pub server: String,
    /// Tool name at the server; the name that the model wrote if the tool does not exist.
    pub tool: String,
    /// Arguments as they are recorded.
    pub arguments: Value,
    /// Arguments as the model gave them, if secrets are masked in the recorded ones.
    pub verbatim: Option<Value>,
    /// Id of the native call that it answers.
    pub tool_call_id: Option<String>,
    /// Effect of the tool on the outside world.
    pub effect: EffectClass,
    /// The tool's fingerprint as it was offered.
    pub pin: Option<ToolPin>,
    /// Id of the task that an earlier worker's call became. The tool is not called; only the task's result is
    /// awaited.
    pub task: Option<String>,
    /// The result, if the call must not be sent: a refusal, a repeat, a page or an unknown outcome.
    pub answer: Option<McpResult>,
}

impl PlannedCall {
    /// Creates a call by the tool name that the model or a chain wrote. It has no server until `choose` sets the
    /// tool.
    pub(crate) fn new(sequence: i32, iteration: i32, tool: &str, arguments: Value) -> Self {
        Self {
            recorded: None,
            sequence,
            iteration,
            server: String::new(),
            tool: tool.to_owned(),
            arguments,
            verbatim: None,
            tool_call_id: None,
            effect: EffectClass::ReadOnly,
            pin: None,
            task: None,
            answer: None,
        }
    }

    /// Makes it a call of this tool.
    pub(crate) fn choose(&mut self, tool: &ToolInfo) {
        self.server.clone_from(&tool.server);
        self.tool.clone_from(&tool.name);
        self.effect = tool.effect;
        self.pin = Some(tool.pin.clone());
    }

    /// Returns the intent to record.
    pub(crate) fn intent(&self) -> McpIntent {
        McpIntent {
            interaction_id: self.recorded.unwrap_or_else(InteractionId::generate),
            sequence: self.sequence,
            iteration: self.iteration,
            communication_type: CommunicationType::ToolCall,
            server_name: self.server.clone(),
            tool_name: Some(self.tool.clone()),
            tool_arguments: Some(self.arguments.clone()),
            tool_call_id: self.tool_call_id.clone(),
            effect: self.effect,
            step_description: match self.server.as_str() {
                "" => self.tool.clone(),
                server => format!("{server}.{}", self.tool),
            },
        }
    }

    fn is_recorded_as(&self, recorded: &RecordedMcp) -> bool {
        let intent = &recorded.intent;
        let arguments = intent.tool_arguments.as_ref().unwrap_or(&Value::Null);
        self.server == intent.server_name
            && self.tool == intent.tool_name.as_deref().unwrap_or_default()
            && self.arguments == *arguments
    }
}

/// Plans the calls of one answer.
pub(crate) struct Planner<'a> {
    context: &'a DecisionContext<'a>,
    offers: &'a [ToolInfo],
    first_sequence: i32,
    iteration: i32,
    /// Calls that the limit still allows.
    left: usize,
    pub(crate) planned: Vec<PlannedCall>,
}

impl<'a> Planner<'a> {
    /// Creates a planner for calls from this position on.
    pub(crate) fn new(
        first_sequence: i32,
        iteration: i32,
        context: &'a DecisionContext<'a>,
        offers: &'a [ToolInfo],
    ) -> Self {
        let used = context.transcript.calls_before(first_sequence).count();
        let limit = usize::try_from(context.brief.limits.max_tool_calls).unwrap_or(usize::MAX);
        Self {
            context,
            offers,
            first_sequence,
            iteration,
            left: limit.saturating_sub(used),
            planned: Vec::new(),
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.planned.len() >= self.left
    }

    /// Returns the agent's tool that a name refers to, if there is one.
    pub(crate) fn tool(&self, written: &str) -> Option<&'a ToolInfo> {
        resolve(written, self.offers).ok()
    }

    pub(crate) fn add(&mut self, written: &str, arguments: Value, tool_call_id: Option<String>) {
        let sequence = self.first_sequence + i32::try_from(self.planned.len()).unwrap_or(i32::MAX);
        let mut call = PlannedCall {
            tool_call_id,
            ..PlannedCall::new(sequence, self.iteration, written, arguments)
        };
        match resolve(written, self.offers) {
            Err(unresolved) => call.answer = Some(refused(self.why_not(written, unresolved))),
            Ok(tool) => {
                call.choose(tool);
                call.answer = match tool.server.as_str() {
                    OWN_SERVER => Some(self.own_answer(&call)),
                    // Sub-agents change by themselves, and each dispatch starts a new one, so no earlier answer is
                    // reused.
                    SUB_AGENTS_SERVER => None,
                    _ => self.known_answer(&call),
                };
            }
        }
        self.planned.push(call);
    }

    fn why_not(&self, written: &str, unresolved: Unresolved) -> String {
        let mut offers = self.offers.iter();
        // With a catalog, the model has a list of its tools that is too long to repeat here.
        let has_catalog = |offer: &ToolInfo| offer.server == OWN_SERVER && offer.name == FIND_TOOLS;
        match unresolved {
            Unresolved::Ambiguous(names) => {
                let names = names.join(", ");
                format!("several servers have a tool `{written}`; name one of {names}")
            }
            Unresolved::Unknown if offers.any(has_catalog) => {
                let similar = tool_catalog::similar(written, self.offers).join(", ");
                let hint = match similar.as_str() {
                    "" => String::new(),
                    similar => format!("; did you mean {similar}"),
                };
                format!("`{written}` is not one of your tools{hint}")
            }
            Unresolved::Unknown => {
                let others = self.offers.iter().filter(|o| o.server != OWN_SERVER);
                let names: Vec<String> = others.map(ToolInfo::full_name).collect();
                let names = names.join(", ");
                format!("`{written}` is not one of your tools; they are {names}")
            }
        }
    }

    /// Returns the answer to the call that the transcript already holds, if any.
    fn known_answer(&self, call: &PlannedCall) -> Option<McpResult> {
        let is_same = |other: &&PlannedCall| {
            (&call.server, &call.tool, &call.arguments)
                == (&other.server, &other.tool, &other.arguments)
        };
        if let Some(same) = self.planned.iter().find(is_same) {
            return Some(paging::repeat(same.sequence));
        }
        let mut changed_since = false;
        let earlier = self.context.transcript.calls_before(self.first_sequence);
        for earlier in earlier.rev() {
            let Some(result) = &earlier.result else {
                continue;
            };
            if call.is_recorded_as(earlier) {
                if !call.effect.is_repeatable() && says_unknown(result) {
                    return Some(refused(MADE_ONCE.to_owned()));
                }
                if result.success && paging::repeat_of(result).is_none() && !changed_since {
                    return Some(paging::repeat(earlier.intent.sequence));
                }
            }
            // After a tool has changed something, earlier reads are stale.
            changed_since |= earlier.intent.effect != EffectClass::ReadOnly
                && !result.refused
                && call.effect == EffectClass::ReadOnly;
        }
        None
    }

    /// Answers a call of one of the agent's built-in tools.
    fn own_answer(&self, call: &PlannedCall) -> McpResult {
        match own_tools::answer(
            &call.tool,
            &call.arguments,
            self.first_sequence,
            self.offers,
            self.context,
        ) {
            Ok(answer) => McpResult {
                success: true,
                tool_result: Some(answer),
                ..McpResult::default()
            },
            Err(why) => refused(why),
        }
    }
}

pub(crate) fn says_unknown(result: &McpResult) -> bool {
    let message = result.error_message.as_deref();
    message.is_some_and(|message| message.starts_with(OUTCOME_UNKNOWN))
}

pub(crate) fn refused(why: String) -> McpResult {
    McpResult {
        refused: true,
        error_message: Some(why),
        ..McpResult::default()
    }
}

/// Returns the result of a call that failed.
pub(crate) fn failed(reason: String) -> McpResult {
    McpResult {
        error_message: Some(reason),
        ..McpResult::default()
    }
}

/// Returns the result of a call that was begun and may or may not have taken effect.
pub(crate) fn unknown_outcome() -> McpResult {
    failed(format!(
        "{OUTCOME_UNKNOWN}: the worker died during this call; it may or may not have taken effect and \
         was not repeated"
    ))
}

/// Returns the result of a call that its worker did not make before it died. Only the arguments with masked secrets
/// are left.
pub(crate) fn forgotten_arguments() -> McpResult {
    refused(
        "the arguments held a secret, and secrets are not kept; the worker that knew it has stopped. Make the \
         call again if it is still needed"
            .to_owned(),
    )
}
