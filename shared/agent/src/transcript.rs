//! The transcript of a stage execution.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tarsy_mcp::ToolInfo;
use tarsy_model::{
    CommunicationType, InteractionId, LlmPurpose, LlmResult, McpResult, RecordedInteraction,
    RecordedLlm, RecordedMcp,
};

use crate::{CallDecision, paging};

/// The record of a stage execution, in the order of its sequence.
///
/// It is built from rows when a stage is claimed, and is empty for the first attempt.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    entries: Vec<RecordedInteraction>,
    /// The newest answer as the model gave it, if secrets were masked in the record. It exists only in this process:
    /// a resumed stage has none.
    verbatim: Option<(InteractionId, LlmResult)>,
    /// Decided approvals of calls, by the call's sequence.
    decisions: BTreeMap<i32, CallDecision>,
}

/// One question to the model and the tool calls that its answer led to.
#[derive(Clone, Debug)]
pub(crate) struct Turn<'a> {
    pub(crate) llm: &'a RecordedLlm,
    pub(crate) calls: Vec<&'a RecordedMcp>,
}

impl Turn<'_> {
    /// Returns the answer, if the call succeeded.
    pub(crate) fn answer(&self) -> Option<&LlmResult> {
        self.llm.result.as_ref().filter(|r| r.success)
    }

    /// Returns whether the provider rejected the conversation as too long.
    pub(crate) fn is_too_long(&self) -> bool {
        let result = self.llm.result.as_ref();
        result.is_some_and(|result| result.error_class.as_deref() == Some("context_length"))
    }

    pub(crate) fn is_answered_iteration(&self) -> bool {
        self.answer().is_some() && self.llm.intent.purpose == LlmPurpose::Iteration
    }
}

fn same_call(one: &RecordedMcp, other: &RecordedMcp) -> bool {
    let (one, other) = (&one.intent, &other.intent);
    one.server_name == other.server_name
        && one.tool_name == other.tool_name
        && one.tool_arguments == other.tool_arguments
}

/// Returns why a call failed, if it did.
fn error(call: &RecordedMcp) -> Option<&str> {
    let result = call.result.as_ref().filter(|result| !result.success)?;
    result.error_message.as_deref()
}

impl Transcript {
    /// Builds the transcript from the rows of a stage execution, in any order.
    #[must_use]
    pub fn from_records(mut records: Vec<RecordedInteraction>) -> Self {
        records.sort_by_key(RecordedInteraction::sequence);
        Self {
            entries: records,
            ..Self::default()
        }
    }

    /// Adds the decisions about its calls, by the sequence of the call.
    #[must_use]
    pub fn with_decisions(mut self, decisions: BTreeMap<i32, CallDecision>) -> Self {
        self.decisions = decisions;
        self
    }

    /// Returns the decision about the call at this position.
    pub(crate) fn decision(&self, sequence: i32) -> Option<&CallDecision> {
        self.decisions.get(&sequence)
    }

    /// Returns all entries, by sequence.
    #[must_use]
    pub fn entries(&self) -> &[RecordedInteraction] {
        &self.entries
    }

    /// Adds an interaction that was just begun.
    pub(crate) fn begin(&mut self, entry: RecordedInteraction) {
        self.entries.push(entry);
        self.entries.sort_by_key(RecordedInteraction::sequence);
    }

    /// Adds the result of a model call: as recorded, and as the model gave it.
    pub(crate) fn finish_llm(&mut self, id: InteractionId, result: LlmResult, said: LlmResult) {
        self.verbatim = result.masked_kinds.is_some().then_some((id, said));
        let asked = self.entries.iter_mut().find_map(|entry| match entry {
            RecordedInteraction::Llm(llm) => (llm.intent.interaction_id == id).then_some(llm),
            RecordedInteraction::Mcp(_) => None,
        });
        if let Some(llm) = asked {
            llm.result = Some(result);
        }
    }

    /// Adds the result of a tool call or tool list.
    pub(crate) fn finish_mcp(&mut self, id: InteractionId, result: McpResult) {
        let called = self.entries.iter_mut().find_map(|entry| match entry {
            RecordedInteraction::Mcp(mcp) => (mcp.intent.interaction_id == id).then_some(mcp),
            RecordedInteraction::Llm(_) => None,
        });
        if let Some(mcp) = called {
            mcp.result = Some(result);
        }
    }

    /// Returns the unmasked answer of this turn, if it differs from the recorded one.
    pub(crate) fn verbatim(&self, turn: &Turn<'_>) -> Option<&LlmResult> {
        let (id, said) = self.verbatim.as_ref()?;
        (*id == turn.llm.intent.interaction_id).then_some(said)
    }

    /// Returns whether a turn made calls, and each of them had been answered before, or had failed before with the
    /// same error.
    pub(crate) fn only_repeats(&self, turn: &Turn<'_>) -> bool {
        let is_repeat = |call: &&RecordedMcp| {
            let result = call.result.as_ref();
            result.is_some_and(|result| paging::repeat_of(result).is_some())
                || self.has_failed_before(call)
        };
        !turn.calls.is_empty() && turn.calls.iter().all(is_repeat)
    }

    fn has_failed_before(&self, call: &RecordedMcp) -> bool {
        let mut earlier = self.calls_before(call.intent.sequence);
        error(call).is_some()
            && earlier.any(|one| same_call(one, call) && error(one) == error(call))
    }

    /// Returns the transcript up to the first request for structured output.
    pub(crate) fn before_output(&self) -> Cow<'_, Self> {
        let is_output = |llm: &&RecordedLlm| llm.intent.purpose == LlmPurpose::StructuredOutput;
        let Some(asked) = self.llms().find(is_output) else {
            return Cow::Borrowed(self);
        };
        let before = self.entries.iter();
        let before = before.filter(|entry| entry.sequence() < asked.intent.sequence);
        Cow::Owned(Self {
            entries: before.cloned().collect(),
            verbatim: None,
            decisions: self.decisions.clone(),
        })
    }

    /// Returns how many questions of the investigation have an answer.
    pub(crate) fn answered_iterations(&self) -> usize {
        let turns = self.turns();
        let is_answered = |turn: &&Turn<'_>| turn.is_answered_iteration();
        turns.iter().filter(is_answered).count()
    }

    /// Returns the iteration of the next question, from 1.
    pub(crate) fn next_iteration(&self) -> i32 {
        i32::try_from(self.answered_iterations() + 1).unwrap_or(i32::MAX)
    }

    pub(crate) fn next_sequence(&self) -> i32 {
        self.entries.last().map_or(0, |e| e.sequence() + 1)
    }

    pub(crate) fn turns(&self) -> Vec<Turn<'_>> {
        let mut turns: Vec<Turn<'_>> = Vec::new();
        for entry in &self.entries {
            match entry {
                // Another model answered it, and it is not part of the conversation.
                RecordedInteraction::Llm(llm)
                    if llm.intent.purpose == LlmPurpose::ResultSummary => {}
                RecordedInteraction::Llm(llm) => turns.push(Turn {
                    llm,
                    calls: Vec::new(),
                }),
                RecordedInteraction::Mcp(mcp) => {
                    if let (CommunicationType::ToolCall, Some(turn)) =
                        (mcp.intent.communication_type, turns.last_mut())
                    {
                        turn.calls.push(mcp);
                    }
                }
            }
        }
        turns
    }

    /// Returns the recorded questions, in order.
    pub(crate) fn llms(&self) -> impl Iterator<Item = &RecordedLlm> {
        self.entries.iter().filter_map(|entry| match entry {
            RecordedInteraction::Llm(llm) => Some(llm),
            RecordedInteraction::Mcp(_) => None,
        })
    }

    /// Returns the recorded tool calls and lists, in order.
    pub(crate) fn mcps(&self) -> impl DoubleEndedIterator<Item = &RecordedMcp> + Clone {
        self.entries.iter().filter_map(|entry| match entry {
            RecordedInteraction::Mcp(mcp) => Some(mcp),
            RecordedInteraction::Llm(_) => None,
        })
    }

    /// Returns the recorded tool calls, in order.
    pub(crate) fn calls(&self) -> impl DoubleEndedIterator<Item = &RecordedMcp> + Clone {
        self.calls_before(i32::MAX)
    }

    /// Returns the recorded tool calls before a position, in order.
    pub(crate) fn calls_before(
        &self,
        sequence: i32,
    ) -> impl DoubleEndedIterator<Item = &RecordedMcp> + Clone {
        self.mcps().filter(move |mcp| {
            mcp.intent.communication_type == CommunicationType::ToolCall
                && mcp.intent.sequence < sequence
        })
    }

    pub(crate) fn listing(&self, server: &str) -> Option<&RecordedMcp> {
        self.mcps().find(|mcp| {
            mcp.intent.communication_type == CommunicationType::ToolList
                && mcp.intent.server_name == server
        })
    }

    /// Returns the tools in the recorded lists, in the order of `servers`.
    pub(crate) fn offers(&self, servers: &[String]) -> Vec<ToolInfo> {
        let lists = servers.iter().filter_map(|s| listed(self.listing(s)?));
        lists.flatten().collect()
    }

    /// Returns the instructions that servers give for their own use, by server.
    pub(crate) fn server_instructions(&self, servers: &[String]) -> Vec<(String, String)> {
        let said = servers.iter().filter_map(|server| {
            let result = self.listing(server)?.result.as_ref()?;
            let text = result.tool_result.as_ref()?.get(tarsy_mcp::INSTRUCTIONS)?;
            Some((server.clone(), text.as_str()?.to_owned()))
        });
        said.collect()
    }

    /// Returns the servers that gave no list, with the reason.
    pub(crate) fn unreachable(&self, servers: &[String]) -> Vec<(String, String)> {
        let failed = servers.iter().filter_map(|server| {
            let result = self.listing(server)?.result.as_ref();
            let why = &result.filter(|result| !result.success)?.error_message;
            Some((server.clone(), why.clone().unwrap_or_default()))
        });
        failed.collect()
    }
}

/// Returns the tools of a recorded list; `None` if the list failed or can't be read any more.
pub(crate) fn listed(listing: &RecordedMcp) -> Option<Vec<ToolInfo>> {
    let mut tools = listing.result.as_ref()?.available_tools.clone()?;
    // The database returns a list with its keys in another order. Sort them so that prompts do not change.
    tools.sort_all_objects();
    serde_json::from_value(tools).ok()
}

/// Returns whether a call brought new information from outside: it succeeded, and is neither a repeat nor a page of
/// an earlier result.
pub(crate) fn is_data_point(call: &RecordedMcp) -> bool {
    let result = call.result.as_ref();
    result.is_some_and(|r| r.success && !r.refused && paging::repeat_of(r).is_none())
        && call.intent.server_name != paging::OWN_SERVER
}
