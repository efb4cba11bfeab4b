//! Tool calls that a person must approve before they are made.

use tarsy_model::LlmResult;

use crate::action::Action;
use crate::approval_rule::{CallDecision, CallToApprove};
use crate::decision_context::DecisionContext;
use crate::plan::{PlannedCall, refused};

/// Longest thought that is shown, in characters.
const LONGEST_THOUGHT: usize = 4_000;

const SECRET: &str = "this call needs approval, and what you said with it holds a secret, which is not kept until then; \
make the call without the secret";

impl DecisionContext<'_> {
    /// Makes the open calls, or asks for approval of the first call that needs it. `answer` is the model's answer
    /// that contains the calls.
    ///
    /// Calls before the first undecided one are made first, because the decision may depend on their results.
    pub(crate) fn make_calls(&self, open: Vec<PlannedCall>, answer: Option<&LlmResult>) -> Action {
        let mut decided = Vec::with_capacity(open.len());
        for mut call in open {
            if call.answer.is_none() {
                match self.transcript.decision(call.sequence) {
                    Some(CallDecision::Approved) => {}
                    Some(CallDecision::Refused { why }) => call.answer = Some(refused(why.clone())),
                    None if !self.needs_approval(&call) => {}
                    None if let Some(why) = self.invalid(&call) => call.answer = Some(refused(why)),
                    // The worker that resumes the stage does not have the secret, so it could not make the call.
                    None if answer.is_some_and(|answer| answer.masked_kinds.is_some()) => {
                        call.answer = Some(refused(SECRET.to_owned()));
                    }
                    None if decided.is_empty() => {
                        return Action::Wait(Box::new(to_approve(call, answer)));
                    }
                    None => break,
                }
            }
            decided.push(call);
        }
        Action::CallTools(decided)
    }

    /// Returns why the call would be refused even after an approval, if it would. No person is asked about such a
    /// call.
    fn invalid(&self, call: &PlannedCall) -> Option<String> {
        let mut offers = self.offers().into_iter();
        let offer = offers.find(|offer| offer.server == call.server && offer.name == call.tool)?;
        let arguments = call.verbatim.as_ref().unwrap_or(&call.arguments);
        Some(offer.refusal(arguments)?.to_string())
    }

    /// Returns whether the configuration requires a decision about the call. A decision holds even if the
    /// configuration changes: a denied call stays denied.
    fn needs_approval(&self, call: &PlannedCall) -> bool {
        let rule = self.brief.approvals.get(&call.server);
        rule.is_some_and(|rule| rule.covers(&call.tool, call.effect))
    }
}

fn to_approve(call: PlannedCall, answer: Option<&LlmResult>) -> CallToApprove {
    let thought = answer.and_then(|answer| {
        let text = answer.response_text.as_deref();
        text.or(answer.thinking.as_deref())
    });
    CallToApprove {
        sequence: call.sequence,
        server: call.server,
        tool: call.tool,
        arguments: call.arguments,
        effect: call.effect,
        thought: thought.map(|text| text.chars().take(LONGEST_THOUGHT).collect()),
    }
}
