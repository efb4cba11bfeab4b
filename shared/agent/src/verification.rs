//! A stage that tries to refute the claims of an earlier one: its question, and the rules for which findings count.
//!
//! A finding counts only with an excerpt that a program finds in a result. Any other finding becomes `cannot_tell`.

use serde_json::{Value, json};
use tarsy_model::InteractionId;

use crate::claims::{CitableCall, evidence};
use crate::fence::Fence;

/// Most claims that are verified. Further claims are left out.
const MAX_CLAIMS: usize = 20;
/// How often a wrong answer is sent back.
const CORRECTIONS: usize = 1;
/// Fewest characters of an excerpt.
const LEAST_EXCERPT: usize = 3;
/// Most characters of an excerpt.
const MAX_EXCERPT: usize = 1_000;
/// Most characters of the reason why a finding does not count.
const MAX_REASON: usize = 300;

const TASK: &str = "\
Try to refute each claim. A claim is refuted if a result shows the opposite, or if the results that it cites say something else. Judge \
from the results above; use the tools only to look again at what they show. Conclude with one line for each claim: whether it \
holds, is refuted, or cannot be told, and the line of a result that shows it.";

pub(crate) const INSTRUCTIONS: &str = "\
Give one finding for each claim, by its id (`k1`, `k2`, ..): `holds`, `refuted`, or `cannot_tell` if no result decides it. `excerpt` is the \
part of a result that shows it, copied exactly; it is empty for `cannot_tell`. A finding whose excerpt is in no result does not count.";

/// A claim that is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedClaim {
    /// Text of the claim.
    pub text: String,
    /// Calls that the claim cites; may be empty.
    pub calls: Vec<InteractionId>,
}

/// Claims that a stage verifies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The stage that made the claims.
    pub of: String,
    /// The claims, at least one.
    pub claims: Vec<VerifiedClaim>,
}

impl Verification {
    /// Takes the claims from the output of the stage `of`. Without `output_schema`, these are the sentences of its
    /// root cause. `None` if there are no claims.
    #[must_use]
    pub fn from_output(of: &str, output: &Value) -> Option<Self> {
        let structured = output["claims"].as_array().into_iter().flatten();
        let mut claims: Vec<VerifiedClaim> = structured.filter_map(claim_of).collect();
        if claims.is_empty() {
            let answer = output["result"].as_str().unwrap_or_default();
            let said = tarsy_verdict::root_cause_sentences(answer);
            let plain = said.into_iter().map(|text| VerifiedClaim {
                text,
                calls: Vec::new(),
            });
            claims.extend(plain);
        }
        claims.truncate(MAX_CLAIMS);
        (!claims.is_empty()).then(|| Self {
            of: of.to_owned(),
            claims,
        })
    }

    /// Keeps the calls that the claims cite; all calls, if the claims cite none of them.
    #[must_use]
    pub fn cited(&self, calls: Vec<CitableCall>) -> Vec<CitableCall> {
        let cited = self.claims.iter().flat_map(|claim| &claim.calls);
        let is_cited = |call: &CitableCall| cited.clone().any(|id| *id == call.id);
        match calls.iter().any(is_cited) {
            true => calls.into_iter().filter(is_cited).collect(),
            false => calls,
        }
    }

    /// Returns the JSON Schema of the answer.
    #[must_use]
    pub fn schema(&self) -> Value {
        let ids: Vec<String> = self.ids().collect();
        json!({
            "type": "object",
            "properties": {
                "checks": {
                    "type": "array",
                    "maxItems": ids.len(),
                    "items": {
                        "type": "object",
                        "properties": {
                            "claim": {"enum": ids},
                            "finding": {"enum": ["holds", "refuted", "cannot_tell"]},
                            "excerpt": {"type": "string", "maxLength": MAX_EXCERPT},
                        },
                        "required": ["claim", "finding", "excerpt"],
                        "additionalProperties": false,
                    },
                },
            },
            "required": ["checks"],
            "additionalProperties": false,
        })
    }

    /// Returns the output of a stage that has nothing to verify.
    #[must_use]
    pub fn nothing(of: &str) -> Value {
        json!({
            "result": format!("Stage `{of}` made no claim that could be verified."), "status": "completed",
            "data": {"of": of, "checks": [], "holds": 0, "refuted": 0, "cannot_tell": 0},
        })
    }

    /// Returns the question of the stage: the claims and the results that they cite.
    pub(crate) fn sections(&self, calls: &[CitableCall], fence: &Fence) -> [String; 3] {
        [
            self.listed(calls, fence),
            evidence(calls, fence),
            format!("## Your Part\n\n{TASK}"),
        ]
    }

    /// Lists the claims, each with the calls that it cites.
    pub(crate) fn listed(&self, calls: &[CitableCall], fence: &Fence) -> String {
        let lines = self.ids().zip(&self.claims).map(|(id, claim)| {
            let cited: Vec<String> = (1..)
                .zip(calls)
                .filter(|(_, call)| claim.calls.contains(&call.id))
                .map(|(number, _)| format!("c{number}"))
                .collect();
            match cited.is_empty() {
                true => format!("{id}: {}", claim.text),
                false => format!("{id} (cites {}): {}", cited.join(", "), claim.text),
            }
        });
        let lines = fence.wrap("CLAIMS", &lines.collect::<Vec<_>>().join("\n"));
        format!("## Claims\n\nWhat another model concluded:\n\n{lines}")
    }

    /// Converts an answer after this many `corrections` to the output. The error is sent back to the model.
    pub(crate) fn read(
        &self,
        answer: Result<Value, String>,
        corrections: usize,
        calls: &[CitableCall],
    ) -> Result<Value, String> {
        let (checks, why) = match answer {
            Ok(answer) => (answer["checks"].clone(), None),
            Err(why) => (Value::Null, Some(why)),
        };
        let missing = self.ids().filter(|id| of_claim(&checks, id).is_none());
        let missing = missing.collect::<Vec<_>>().join(", ");
        let lacks = || format!("`checks` has no finding for {missing}");
        match why.or_else(|| (!missing.is_empty()).then(lacks)) {
            Some(why) if corrections < CORRECTIONS => Err(why),
            why => Ok(self.judged(&checks, &why.unwrap_or_default(), calls)),
        }
    }

    /// Returns the output if the question has no answer.
    pub(crate) fn unanswered(&self, why: &str) -> Value {
        self.judged(&Value::Null, why, &[])
    }

    /// Returns the findings that count, claim by claim. `why` is the reason for claims without a finding.
    fn judged(&self, checks: &Value, why: &str, calls: &[CitableCall]) -> Value {
        let results = calls.iter().filter(|call| call.success);
        let results: Vec<String> = results.map(|call| normalized(&call.result)).collect();
        let judged = self.ids().zip(&self.claims).map(|(id, claim)| {
            let mut judged = json!({"claim": claim.text, "finding": "cannot_tell"});
            let check = of_claim(checks, &id).map(|check| {
                let text = |name: &str| check[name].as_str().unwrap_or_default();
                (text("finding"), text("excerpt"))
            });
            let why = match check {
                None => why.to_owned(),
                Some((found @ ("holds" | "refuted"), excerpt)) if is_shown(excerpt, &results) => {
                    judged["finding"] = json!(found);
                    judged["excerpt"] = json!(excerpt);
                    String::new()
                }
                Some((found @ ("holds" | "refuted"), _)) => {
                    format!("said to be `{found}`, but no result contains its excerpt")
                }
                Some(_) => String::new(),
            };
            if !why.is_empty() {
                judged["why"] = json!(why.chars().take(MAX_REASON).collect::<String>());
            }
            judged
        });
        let judged: Vec<Value> = judged.collect();
        let count = |word: &str| judged.iter().filter(|one| one["finding"] == word).count();
        json!({"data": {
            "of": self.of, "holds": count("holds"), "refuted": count("refuted"), "cannot_tell": count("cannot_tell"),
            "checks": judged,
        }})
    }

    fn ids(&self) -> impl Iterator<Item = String> {
        (1..=self.claims.len()).map(|number| format!("k{number}"))
    }
}

/// Formats the findings for people, followed by the model's conclusion.
pub(crate) fn report(data: &Value, conclusion: &str) -> String {
    let checks = data["checks"].as_array().map(Vec::as_slice);
    let checks = checks.unwrap_or_default();
    let lines = checks.iter().map(|check| {
        let word = check["finding"]
            .as_str()
            .unwrap_or_default()
            .replace('_', " ");
        let claim = check["claim"].as_str().unwrap_or_default();
        let excerpt = check["excerpt"].as_str().map(normalized);
        let shown = excerpt.or_else(|| check["why"].as_str().map(str::to_owned));
        let shown = shown.map(|shown| format!(" ({shown})"));
        format!("- **{word}**: {claim}{}", shown.unwrap_or_default())
    });
    let (lines, all) = (lines.collect::<Vec<_>>().join("\n"), checks.len());
    let refuted = data["refuted"].as_u64().unwrap_or(0);
    format!("{refuted} of {all} claims refuted.\n\n{lines}\n\n{conclusion}")
}

fn claim_of(claim: &Value) -> Option<VerifiedClaim> {
    let calls = claim["calls"].as_array().into_iter().flatten();
    let ids = calls.map(|call| serde_json::from_value(call["interaction_id"].clone()));
    Some(VerifiedClaim {
        text: claim["text"].as_str()?.to_owned(),
        calls: ids.filter_map(Result::ok).collect(),
    })
}

/// Returns the finding for a claim. Of several, the first that refutes it counts, so that another finding can't hide
/// the refutation.
fn of_claim<'a>(checks: &'a Value, id: &str) -> Option<&'a Value> {
    let of_claim = |check: &&Value| check["claim"] == id;
    let all = || checks.as_array().into_iter().flatten().filter(of_claim);
    all()
        .find(|check| check["finding"] == "refuted")
        .or_else(|| all().next())
}

fn is_shown(excerpt: &str, results: &[String]) -> bool {
    let excerpt = normalized(excerpt);
    let excerpt = excerpt.trim_matches(['"', '\'', '`', '…', ' ']);
    let is_long_enough = excerpt.chars().count() >= LEAST_EXCERPT;
    is_long_enough && results.iter().any(|result| result.contains(excerpt))
}

/// Returns the text with single blanks between words.
fn normalized(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
