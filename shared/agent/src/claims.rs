//! Claims of a conclusion, each with the tool calls that show it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tarsy_model::{InteractionId, McpResult, RecordedMcp};

use crate::fence::Fence;
use crate::paging;
use crate::series;
use crate::sub_agents::SUB_AGENTS_SERVER;
use crate::transcript::Transcript;

/// Most characters of all results together in the prompt.
const EVIDENCE_CHARS: usize = 24_000;
/// Most characters of one result.
const RESULT_CHARS: usize = 3_000;
/// Least characters of one result, even if there are many.
const LEAST_CHARS: usize = 200;

/// Servers whose answers are not evidence. They return pages of other results, or answers of other models.
pub const NO_EVIDENCE: [&str; 2] = [paging::OWN_SERVER, SUB_AGENTS_SERVER];

pub(crate) const INSTRUCTIONS: &str = "`claims`: break the conclusion into its claims: what happened, why, what it affects. Leave out advice. For each claim cite \
the calls whose results show it, by their ids (`c1`, `c2`, ..). Cite a call only if its result says so; cite none where no result does. Do not invent ids.";

/// A tool call that a claim may cite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitableCall {
    /// Id of the interaction.
    pub id: InteractionId,
    /// The call, for people, e.g. `pods_log of cluster`.
    pub call: String,
    /// Its result, masked. It counts only if the call succeeded.
    pub result: String,
    /// Whether it succeeded.
    pub success: bool,
}

/// Returns the calls of the transcript whose results are evidence. Calls of [`NO_EVIDENCE`] servers and repeated
/// calls are left out.
pub(crate) fn evidence_calls(transcript: &Transcript) -> impl Iterator<Item = &RecordedMcp> {
    let is_repeat = |result: &McpResult| paging::repeat_of(result).is_some();
    let calls = transcript.calls();
    calls
        .filter(|call| !NO_EVIDENCE.contains(&&*call.intent.server_name))
        .filter(move |call| !call.result.as_ref().is_some_and(is_repeat))
}

/// Returns all calls that a claim may cite: calls of earlier stages, then calls of this one.
pub(crate) fn citable(earlier: &[CitableCall], transcript: &Transcript) -> Vec<CitableCall> {
    let own = evidence_calls(transcript).map(|call| {
        let result = call.result.as_ref();
        CitableCall {
            id: call.intent.interaction_id,
            call: call.intent.step_description.clone(),
            result: result.map(paging::text_of).unwrap_or_default(),
            success: result.is_some_and(|result| result.success && !result.refused),
        }
    });
    earlier.iter().cloned().chain(own).collect()
}

/// Formats the calls and their results for the model.
pub(crate) fn evidence(calls: &[CitableCall], fence: &Fence) -> String {
    let most = (EVIDENCE_CHARS / calls.len().max(1)).clamp(LEAST_CHARS, RESULT_CHARS);
    let shown = |(number, call): (usize, &CitableCall)| {
        let text = match call.success {
            true => {
                let shaped = series::shaped(&call.result, None, most);
                let result = shaped.as_ref().unwrap_or(&call.result);
                let text: String = result.chars().take(most).collect();
                let cut = match result.len() > text.len() {
                    true => "\n[cut here]",
                    false => "",
                };
                fence.wrap("TOOL RESULT", &text) + cut
            }
            false => "It failed and shows nothing.".to_owned(),
        };
        format!("`c{number}`: {}\n{text}", call.call)
    };
    let shown: Vec<String> = (1..).zip(calls).map(shown).collect();
    match shown.is_empty() {
        true => "## Calls\n\nNo tool was called.".to_owned(),
        false => format!("## Calls\n\n{}", shown.join("\n\n")),
    }
}

/// Returns the claims with their citations replaced by interactions. A claim that no call shows gets a `not_shown`
/// member with the reason.
///
/// Only calls that exist and succeeded count. Other citations are left out.
pub(crate) fn checked(claims: &Value, calls: &[CitableCall]) -> Value {
    let claims = claims.as_array().into_iter().flatten();
    claims.map(|claim| check(claim, calls)).collect()
}

fn check(claim: &Value, calls: &[CitableCall]) -> Value {
    let cited = claim["calls"].as_array().into_iter().flatten();
    let cited: BTreeSet<String> = cited
        .filter_map(Value::as_str)
        .map(|name| name.trim().trim_matches('`').to_lowercase())
        .collect();
    let known: Vec<&CitableCall> = (1..)
        .zip(calls)
        .filter(|(number, _)| cited.contains(&format!("c{number}")))
        .map(|(_, call)| call)
        .collect();
    let calls = known.iter().filter(|call| call.success);
    let calls = calls.map(|call| json!({"interaction_id": call.id, "call": call.call}));
    let calls: Vec<Value> = calls.collect();
    let not_shown = match (calls.is_empty(), cited.is_empty(), known.is_empty()) {
        (false, ..) => None,
        (true, true, _) => Some("it cites no call"),
        (true, false, true) => Some("it cites calls that do not exist"),
        (true, false, false) => Some("it cites only calls that failed"),
    };
    let text = claim["text"].as_str().unwrap_or_default();
    let mut checked = json!({"text": text, "calls": calls});
    if let Some(why) = not_shown {
        checked["not_shown"] = why.into();
    }
    checked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cited_calls_are_in_the_order_of_their_calls() {
        let calls: Vec<CitableCall> = (1..=11)
            .map(|number| CitableCall {
                id: InteractionId::generate(),
                call: format!("call {number}"),
                result: "seen".to_owned(),
                success: number != 3,
            })
            .collect();
        let claims =
            json!([{"text": "It was DNS.", "calls": ["c11", "`C2`", "c10", "c2", "c3", "c12"]}]);
        let checked = checked(&claims, &calls);
        let cited = checked[0]["calls"].as_array().unwrap();
        let cited: Vec<_> = cited.iter().map(|call| call["call"].as_str()).collect();
        assert_eq!(cited, [Some("call 2"), Some("call 10"), Some("call 11")]);
        assert_eq!(checked[0].get("not_shown"), None);
    }
}
