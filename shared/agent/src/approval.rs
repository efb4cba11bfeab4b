//! Tool calls that a person must approve before they are made.

use serde::Serialize;
use serde_json::Value;
use tarsy_model::{EffectClass, LlmResult};

use crate::approval_rule::CallDecision;
use crate::decision_context::DecisionContext;
use crate::plan::{PlannedCall, refused};
use crate::transcript::Transcript;

/// Longest thought that is shown, in characters.
const LONGEST_THOUGHT: usize = 4_000;

/// A call that waits for approval, as it is shown to people. What is recorded of it is masked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallToApprove {
    /// Position among all interactions of the stage: names the call when the stage is resumed.
    pub sequence: i32,
    /// Server id.
    pub server: String,
    /// Tool name at the server.
    pub tool: String,
    /// Arguments.
    pub arguments: Value,
    /// What the tool does to the world.
    pub effect: EffectClass,
    /// What the model said before it.
    pub thought: Option<String>,
}

/// What becomes of the calls of an answer.
pub(crate) enum Approved {
    /// Make or record these.
    Calls(Vec<PlannedCall>),
    /// Ask about this one first.
    Ask(CallToApprove),
}

/// Hold the open calls of an answer against the approvals that they need.
///
/// Calls before the first that is not decided are made first: what it is asked about may depend on them.
pub(crate) fn with_approvals(
    open: Vec<PlannedCall>,
    answer: &LlmResult,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Approved {
    let mut decided = Vec::with_capacity(open.len());
    for mut call in open {
        if call.answer.is_some() {
            decided.push(call);
            continue;
        }
        match transcript.decision(call.sequence) {
            Some(CallDecision::Approved) => {}
            Some(CallDecision::Refused { why }) => call.answer = Some(refused(why.clone())),
            None if !needs_approval(&call, context) => {}
            None if let Some(why) = invalid(&call, transcript, context) => {
                call.answer = Some(refused(why));
            }
            // Who resumes the stage has not got the secret, and could not make the call.
            None if answer.masked_kinds.is_some() => {
                call.answer = Some(refused(
                    "this call needs approval, and what you said with it holds a secret, which is not kept until then; \
                     make the call without the secret"
                        .to_owned(),
                ));
            }
            None if decided.is_empty() => return Approved::Ask(to_approve(call, Some(answer))),
            None => break,
        }
        decided.push(call);
    }
    Approved::Calls(decided)
}

/// Hold the one call of a stage without a model against the approval that it needs.
pub(crate) fn with_approval(
    mut call: PlannedCall,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Result<PlannedCall, Box<CallToApprove>> {
    if call.answer.is_some() {
        return Ok(call);
    }
    match transcript.decision(call.sequence) {
        Some(CallDecision::Approved) => Ok(call),
        Some(CallDecision::Refused { why }) => {
            call.answer = Some(refused(why.clone()));
            Ok(call)
        }
        None if !needs_approval(&call, context) => Ok(call),
        None => match invalid(&call, transcript, context) {
            Some(why) => {
                call.answer = Some(refused(why));
                Ok(call)
            }
            None => Err(Box::new(to_approve(call, None))),
        },
    }
}

/// Why the call would be refused once it is approved: nobody is asked about it then.
fn invalid(
    call: &PlannedCall,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Option<String> {
    let offers = transcript.offers(context.servers);
    let mut offers = offers.iter();
    let offer = offers.find(|offer| offer.server == call.server && offer.name == call.tool)?;
    let arguments = call.verbatim.as_ref().unwrap_or(&call.arguments);
    Some(offer.refusal(arguments)?.to_string())
}

/// Whether the configuration wants a decision about the call. One that was made holds without it: a denied call stays denied when the
/// configuration changes meanwhile.
fn needs_approval(call: &PlannedCall, context: &DecisionContext<'_>) -> bool {
    let rule = context.brief.approvals.get(&call.server);
    rule.is_some_and(|rule| rule.covers(&call.tool, call.effect))
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
