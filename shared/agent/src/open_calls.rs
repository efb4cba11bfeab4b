//! Planned calls that have no result yet.

use tarsy_model::{LlmResult, RecordedMcp};

use crate::SUB_AGENTS_SERVER;
use crate::approval_rule::CallDecision;
use crate::decision_context::DecisionContext;
use crate::parsed_reply::ParsedReply;
use crate::plan::{PlannedCall, forgotten_arguments, unknown_outcome};
use crate::reply_forms::ReplyForms;
use crate::transcript::Turn;

impl DecisionContext<'_> {
    /// Gives open calls the unmasked arguments from the model's answer. If those are lost, the call is refused: a
    /// tool must not receive the marks that stand for secrets.
    pub(crate) fn with_secrets(
        &self,
        mut open: Vec<PlannedCall>,
        turn: &Turn<'_>,
        answer: &LlmResult,
        forms: &ReplyForms<'_>,
    ) -> Vec<PlannedCall> {
        if answer.masked_kinds.is_none() {
            return open;
        }
        let said = self.transcript.verbatim(turn);
        let meant = match said.map(|said| forms.parse_newest(turn, said)) {
            Some(ParsedReply::ToolCalls { planned, .. }) => planned,
            _ => Vec::new(),
        };
        // A sub-agent's task is stored masked, so a resumed stage dispatches the same text.
        let is_sent = |call: &&mut PlannedCall| {
            call.answer.is_none() && call.task.is_none() && call.server != SUB_AGENTS_SERVER
        };
        for call in open.iter_mut().filter(is_sent) {
            match meant.iter().find(|m| m.sequence == call.sequence) {
                Some(meant) => call.verbatim = Some(meant.arguments.clone()),
                None => call.answer = Some(forgotten_arguments()),
            }
        }
        open
    }

    /// Returns the planned calls that have no result yet. A call with a recorded intent is repeated only if its
    /// effect is repeatable. Otherwise its outcome is unknown, even if its tool has since left the configuration. A
    /// call that became a task at its server continues there, and the agent waits for its result. A denied call was
    /// never made: its intent is the beginning of the record of the denial.
    pub(crate) fn open_calls(
        &self,
        planned: Vec<PlannedCall>,
        recorded: &[&RecordedMcp],
    ) -> Vec<PlannedCall> {
        let open = planned.into_iter().filter_map(|mut call| {
            let Some(begun) = recorded.iter().find(|r| r.intent.sequence == call.sequence) else {
                return Some(call);
            };
            if begun.result.is_some() {
                return None;
            }
            call.recorded = Some(begun.intent.interaction_id);
            let decision = self.transcript.decision(call.sequence);
            let is_denied = matches!(decision, Some(CallDecision::Refused { .. }));
            let may_be_made = (call.answer.is_none() || call.pin.is_none()) && !is_denied;
            let is_sent = call.answer.is_none() && call.pin.is_some() && !is_denied;
            if is_sent && begun.task_id.is_some() {
                call.task.clone_from(&begun.task_id);
            } else if may_be_made && !begun.intent.effect.is_repeatable() {
                call.answer = Some(unknown_outcome());
            }
            Some(call)
        });
        open.collect()
    }
}
