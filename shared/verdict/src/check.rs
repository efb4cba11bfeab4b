//! Outcome of the check of an answer.

use serde::{Deserialize, Serialize};
use tarsy_model::SessionVerdict;

use crate::text::beginning;

/// The verdict on an answer, with the findings on which it is based.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// The verdict.
    pub verdict: SessionVerdict,
    /// The verdict in a few sentences for people.
    pub summary: String,
    /// Names, numbers, times and quotations of the root cause that were looked up.
    pub checked: u32,
    /// Number of those that occur in results.
    pub found: u32,
    /// Those that do not occur in results, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<String>,
    /// Sentences of a partly supported root cause that are guesses, or that have nothing in common with the results: at
    /// most 5, each cut at 200 bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sentences_not_shown: Vec<String>,
    /// Names in the answer, outside of its proposals, that neither a result nor the alert, the runbook or the tools'
    /// names contain. At most 20; paths last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_names: Vec<String>,
    /// Names of the root cause that occur in results and not in the alert: in lower case, sorted, at most 8.
    /// Sessions that share them have one root cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cause_names: Vec<String>,
    /// Tool calls that succeeded.
    pub calls: u32,
    /// Whether any tool was offered to the agent.
    pub tools_offered: bool,
    /// Number of claims; absent without `output_schema: claims`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<u32>,
    /// Claims that their calls do not show: index of the claim, and the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims_not_shown: Vec<(u32, String)>,
    /// Whether results were left out because there were too many bytes of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub evidence_cut: bool,
    /// Whether the model reached its token limit while it wrote the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answer_cut: bool,
}

impl Check {
    /// Whether more results could not change the verdict.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let is_shown = matches!(
            self.verdict,
            SessionVerdict::Supported | SessionVerdict::NoFault | SessionVerdict::Inconclusive
        );
        is_shown && self.unknown_names.is_empty() && self.not_found.is_empty()
    }

    /// Writes the verdict in one or more sentences.
    pub(crate) fn sentence(&self) -> String {
        let mut sentence = self.findings();
        if self.checked > 0
            && let Some(first) = self.sentences_not_shown.first()
        {
            sentence.push_str(&match self.sentences_not_shown.len() {
                1 => format!(
                    " One sentence of it is a guess, or names nothing that they contain: {first}"
                ),
                many => format!(
                    " {many} sentences of it are guesses, or name nothing that they contain, the first: {first}"
                ),
            });
        }
        if self.evidence_cut {
            sentence.push_str(" Only the first 2 MiB of the results were examined.");
        }
        if self.answer_cut {
            sentence.push_str(" The answer was cut at the limit of tokens.");
        }
        sentence
    }

    fn findings(&self) -> String {
        let calls = match self.calls {
            1 => "1 tool call succeeded".to_owned(),
            calls => format!("{calls} tool calls succeeded"),
        };
        match self.verdict {
            SessionVerdict::NotInvestigated => {
                "Tools were offered, but no tool call succeeded.".to_owned()
            }
            SessionVerdict::NotChecked if self.calls > 0 => {
                "There was no answer to check.".to_owned()
            }
            SessionVerdict::NotChecked => {
                "No tools were offered, so there was nothing to check the answer against."
                    .to_owned()
            }
            SessionVerdict::Inconclusive => {
                format!("The answer itself says that the cause was not found; {calls}.")
            }
            SessionVerdict::NoFault => format!("The answer says that nothing is wrong; {calls}."),
            _ if self.checked == 0 => {
                "The root cause names nothing that could be looked up beyond what the alert says."
                    .to_owned()
            }
            SessionVerdict::Unsupported if self.not_found.is_empty() => {
                "Of the root cause, tool results contain small numbers alone.".to_owned()
            }
            _ => {
                let found = format!(
                    "{} of {} names and figures of the root cause occur in tool results",
                    self.found, self.checked
                );
                let listed = self.not_found.iter().take(5);
                let listed: Vec<&str> = listed.map(|name| beginning(name, 80)).collect();
                match listed.is_empty() {
                    true => format!("{found}."),
                    false => format!("{found}; not found: {}.", listed.join(", ")),
                }
            }
        }
    }
}
