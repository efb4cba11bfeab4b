//! Plans the tool calls of an answer.

use serde_json::Value;
use tarsy_mcp::{ToolInfo, ToolPin};
use tarsy_model::{
    CommunicationType, EffectClass, InteractionId, McpIntent, McpResult, RecordedMcp,
};

use crate::SUB_AGENTS_SERVER;
use crate::decision_context::DecisionContext;
use crate::own_tools::{self, Known};
use crate::paging::{self, OWN_SERVER};
use crate::resolve::{Unresolved, resolve};
use crate::tool_catalog::{self, FIND_TOOLS};
use crate::transcript::{Transcript, Turn};

/// How the record says that nobody knows whether a call had its effect.
pub(crate) const OUTCOME_UNKNOWN: &str = "outcome unknown";

/// One tool call as the core wants it made and recorded.
#[derive(Clone, Debug)]
pub struct PlannedCall {
    /// The intent's row when it is already there (the stage was resumed).
    pub recorded: Option<InteractionId>,
    /// Position among all interactions.
    pub sequence: i32,
    /// Iteration it belongs to.
    pub iteration: i32,
    /// Server id; the model's own word for a tool that does not exist.
    pub server: String,
    /// Tool name at the server.
    pub tool: String,
    /// Arguments, as they are kept.
    pub arguments: Value,
    /// Arguments as the model gave them, where secrets are masked in those that are kept.
    pub verbatim: Option<Value>,
    /// The native call it answers.
    pub tool_call_id: Option<String>,
    /// What the tool does to the world.
    pub effect: EffectClass,
    /// The tool's fingerprint as it was offered.
    pub pin: Option<ToolPin>,
    /// Id of the task that an earlier worker's call became: its result is waited for, and nothing is called.
    pub task: Option<String>,
    /// The result, when the call is not to be sent: a refusal, a repeat, a page, an outcome
    /// that nobody knows.
    pub answer: Option<McpResult>,
}

impl PlannedCall {
    /// The intent to record.
    #[must_use]
    pub fn intent(&self, interaction_id: InteractionId) -> McpIntent {
        let name = if self.server.is_empty() {
            self.tool.clone()
        } else {
            format!("{}.{}", self.server, self.tool)
        };
        McpIntent {
            interaction_id,
            sequence: self.sequence,
            iteration: self.iteration,
            communication_type: CommunicationType::ToolCall,
            server_name: self.server.clone(),
            tool_name: Some(self.tool.clone()),
            tool_arguments: Some(self.arguments.clone()),
            tool_call_id: self.tool_call_id.clone(),
            effect: self.effect,
            step_description: name,
        }
    }
}

/// Plans the calls of one answer.
pub(crate) struct Planner<'a> {
    transcript: &'a Transcript,
    offers: &'a [ToolInfo],
    page_bytes: usize,
    first_sequence: i32,
    iteration: i32,
    /// Calls that the limit still allows.
    left: usize,
    pub(crate) planned: Vec<PlannedCall>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(
        turn: &Turn<'_>,
        transcript: &'a Transcript,
        context: &DecisionContext<'_>,
        offers: &'a [ToolInfo],
    ) -> Self {
        let intent = &turn.llm.intent;
        Self::at(
            intent.sequence + 1,
            intent.iteration,
            transcript,
            context,
            offers,
        )
    }

    /// Plans calls from this position on.
    pub(crate) fn at(
        first_sequence: i32,
        iteration: i32,
        transcript: &'a Transcript,
        context: &DecisionContext<'_>,
        offers: &'a [ToolInfo],
    ) -> Self {
        let used = transcript.calls_before(first_sequence).count();
        let limit = usize::try_from(context.brief.limits.max_tool_calls).unwrap_or(usize::MAX);
        Self {
            transcript,
            offers,
            page_bytes: context.brief.limits.page_bytes(),
            first_sequence,
            iteration,
            left: limit.saturating_sub(used),
            planned: Vec::new(),
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.planned.len() >= self.left
    }

    /// The tool a name means, if it is one of the agent's.
    pub(crate) fn tool(&self, written: &str) -> Option<&'a ToolInfo> {
        resolve(written, self.offers).ok()
    }

    pub(crate) fn add(&mut self, written: &str, arguments: Value, tool_call_id: Option<String>) {
        let sequence = self.first_sequence + i32::try_from(self.planned.len()).unwrap_or(i32::MAX);
        let mut call = PlannedCall {
            recorded: None,
            sequence,
            iteration: self.iteration,
            server: String::new(),
            tool: written.to_owned(),
            arguments,
            verbatim: None,
            tool_call_id,
            effect: EffectClass::ReadOnly,
            pin: None,
            task: None,
            answer: None,
        };
        match resolve(written, self.offers) {
            Err(unresolved) => call.answer = Some(refused(self.why_not(written, unresolved))),
            Ok(tool) => {
                call.server.clone_from(&tool.server);
                call.tool.clone_from(&tool.name);
                call.effect = tool.effect;
                call.pin = Some(tool.pin.clone());
                call.answer = match tool.server.as_str() {
                    OWN_SERVER => Some(self.own_answer(&call)),
                    // What sub-agents do changes by itself, and each dispatch is one of its own.
                    SUB_AGENTS_SERVER => None,
                    _ => self.known_answer(&call),
                };
            }
        }
        self.planned.push(call);
    }

    fn why_not(&self, written: &str, unresolved: Unresolved) -> String {
        match unresolved {
            Unresolved::Ambiguous(names) => {
                format!(
                    "several servers have a tool `{written}`; name one of {}",
                    names.join(", ")
                )
            }
            Unresolved::Unknown if self.has_catalog() => {
                let similar = tool_catalog::similar(written, self.offers);
                let similar = match similar.is_empty() {
                    true => String::new(),
                    false => format!("; did you mean {}", similar.join(", ")),
                };
                format!("`{written}` is not one of your tools{similar}")
            }
            Unresolved::Unknown => {
                let names: Vec<String> = self
                    .offers
                    .iter()
                    .filter(|o| o.server != OWN_SERVER)
                    .map(ToolInfo::full_name)
                    .collect();
                format!(
                    "`{written}` is not one of your tools; they are {}",
                    names.join(", ")
                )
            }
        }
    }

    /// Whether the model has the names of its tools in a list that is too long to be told again.
    fn has_catalog(&self) -> bool {
        let mut offers = self.offers.iter();
        offers.any(|offer| offer.server == OWN_SERVER && offer.name == FIND_TOOLS)
    }

    /// An answer that the transcript already has.
    fn known_answer(&self, call: &PlannedCall) -> Option<McpResult> {
        if let Some(same) = self
            .planned
            .iter()
            .find(|p| is_same(call, &p.server, &p.tool, &p.arguments))
        {
            return Some(paging::repeat(same.sequence));
        }
        let mut changed_since = false;
        for earlier in self.transcript.calls_before(self.first_sequence).rev() {
            let Some(result) = &earlier.result else {
                continue;
            };
            if is_recorded_as(call, earlier) {
                if !call.effect.is_repeatable() && says_unknown(result) {
                    return Some(refused(
                        "the outcome of the same call before is unknown and it must not be made twice; find \
                         out by reading whether it took effect"
                            .to_owned(),
                    ));
                }
                if result.success && paging::repeat_of(result).is_none() && !changed_since {
                    return Some(paging::repeat(earlier.intent.sequence));
                }
            }
            // After a change to the world an earlier reading is stale.
            changed_since |= earlier.intent.effect != EffectClass::ReadOnly
                && !result.refused
                && call.effect == EffectClass::ReadOnly;
        }
        None
    }

    /// The answer of one of the agent's own tools.
    fn own_answer(&self, call: &PlannedCall) -> McpResult {
        let known = Known {
            transcript: self.transcript,
            before: self.first_sequence,
            offers: self.offers,
            page_bytes: self.page_bytes,
        };
        match own_tools::answer(&call.tool, &call.arguments, &known) {
            Ok(answer) => McpResult {
                success: true,
                tool_result: Some(answer),
                ..McpResult::default()
            },
            Err(why) => refused(why),
        }
    }
}

fn is_same(call: &PlannedCall, server: &str, tool: &str, arguments: &Value) -> bool {
    call.server == server && call.tool == tool && call.arguments == *arguments
}

fn is_recorded_as(call: &PlannedCall, recorded: &RecordedMcp) -> bool {
    let intent = &recorded.intent;
    let arguments = intent.tool_arguments.as_ref().unwrap_or(&Value::Null);
    is_same(
        call,
        &intent.server_name,
        intent.tool_name.as_deref().unwrap_or_default(),
        arguments,
    )
}

pub(crate) fn says_unknown(result: &McpResult) -> bool {
    result
        .error_message
        .as_deref()
        .is_some_and(|m| m.starts_with(OUTCOME_UNKNOWN))
}

pub(crate) fn refused(why: String) -> McpResult {
    McpResult {
        refused: true,
        error_message: Some(why),
        ..McpResult::default()
    }
}

/// The result of a call that was begun and may or may not have had its effect.
pub(crate) fn unknown_outcome() -> McpResult {
    McpResult {
        error_message: Some(format!(
            "{OUTCOME_UNKNOWN}: the worker died during this call; it may or may not have taken effect and \
             was not repeated"
        )),
        ..McpResult::default()
    }
}

/// The result of a call that was not made before its worker died, and whose arguments are known
/// only with their secrets masked.
pub(crate) fn forgotten_arguments() -> McpResult {
    refused(
        "the arguments held a secret, and secrets are not kept; the worker that knew it has stopped. Make the \
         call again if it is still needed"
            .to_owned(),
    )
}
