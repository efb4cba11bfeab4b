//! Scores of one session. Each score keeps the values that it is computed from, so that a report can be computed
//! again.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::case::{Case, Record};
use crate::session::{Call, Session};
use crate::text::says;

/// Least share of calls that the records must answer. A session below it is not scored.
const LEAST_HIT_RATE: f64 = 0.8;
/// Scores of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The case.
    pub case: String,
    /// Its groups.
    pub tags: Vec<String>,
    /// Status of the session.
    pub status: String,
    /// Verdict of the session.
    pub verdict: Option<String>,
    /// The facts of the case's truth.
    pub facts: Vec<FactScore>,
    /// Forbidden texts that the answer contains.
    pub forbidden: Vec<String>,
    /// Whether the case is healthy.
    pub healthy: bool,
    /// Whether the answer states that nothing is wrong.
    pub says_no_fault: bool,
    /// Number of tools that an expert calls.
    pub path: usize,
    /// How many of these tools were called successfully.
    pub path_called: usize,
    /// Calls that were sent.
    pub calls: usize,
    /// Calls that no record answered.
    pub missing: usize,
    /// Calls that were refused, e.g. because the tool does not exist or the arguments do not match the schema.
    pub refused: usize,
    /// Calls with the tool and arguments of an earlier call.
    pub repeated: usize,
    /// Position of the first call whose result shows a fact, from 1.
    pub first_shown: Option<usize>,
    /// Replies of models.
    pub replies: usize,
    /// Replies that were a call or a conclusion.
    pub readable_replies: usize,
    /// Tokens of all model calls.
    pub tokens: u64,
    /// Estimated dollars of the model calls that have a price.
    #[serde(default)]
    pub cost_usd: f64,
}

/// Score of a fact: whether an answer states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactScore {
    /// First wording of the fact.
    pub fact: String,
    /// Whether the alert already states the fact. Such a fact does not count.
    pub in_alert: bool,
    /// Whether the answer states the fact.
    pub said: bool,
    /// Whether a result of the session, or the diagnosis that it was given, shows the fact. A fact that is stated but
    /// not shown was guessed.
    pub shown: bool,
}

impl FactScore {
    /// Returns whether the answer states the fact although nothing shows it.
    pub(crate) const fn is_guessed(&self) -> bool {
        self.said && !self.shown
    }
}

impl Score {
    /// Returns the facts that count: those that the alert does not state.
    pub fn counted(&self) -> impl Iterator<Item = &FactScore> {
        self.facts.iter().filter(|fact| !fact.in_alert)
    }

    /// Returns whether the records answered enough of the calls to score the session.
    #[must_use]
    pub fn is_scored(&self) -> bool {
        let hits = self.calls.saturating_sub(self.missing);
        self.calls == 0 || hits as f64 >= self.calls as f64 * LEAST_HIT_RATE
    }

    /// Returns whether the answer names a cause although nothing is wrong.
    #[must_use]
    pub fn is_false_alarm(&self) -> bool {
        self.healthy && self.status == "completed" && !self.says_no_fault
    }

    /// Returns whether the answer states every fact that counts and nothing forbidden, and raises no false alarm.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.status == "completed"
            && self.forbidden.is_empty()
            && match self.healthy {
                true => self.says_no_fault,
                false => self.counted().all(|fact| fact.said),
            }
    }
}

/// Scores a session of a case.
#[must_use]
pub fn score(case: &Case, session: &Session) -> Score {
    let answer = session.answer.as_deref().unwrap_or_default();
    let alert = case.alert.to_string();
    let results = || session.calls.iter().filter(|call| call.success);
    let facts = case.truth.facts.iter().map(|fact| {
        let is_in = |text: &str| fact.0.iter().any(|wording| says(text, wording));
        FactScore {
            fact: fact.0.first().cloned().unwrap_or_default(),
            in_alert: is_in(&alert),
            said: is_in(answer),
            shown: results().any(|call| is_in(&call.result))
                || session.diagnosis.as_deref().is_some_and(is_in),
        }
    });
    let facts: Vec<FactScore> = facts.collect();
    let called: BTreeSet<&str> = results().map(|call| call.tool.as_str()).collect();
    let path = &case.truth.path;
    let is_called = |tool: &&String| called.contains(tool.as_str());
    let count = |is: fn(&&Call) -> bool| session.calls.iter().filter(is).count();
    let first_shown = session.calls.iter().position(|call| {
        let shows = |wording: &String| call.success && says(&call.result, wording);
        let counted = case.truth.facts.iter().zip(&facts);
        counted
            .filter(|(_, score)| !score.in_alert)
            .any(|(fact, _)| fact.0.iter().any(shows))
    });
    Score {
        case: case.id.clone(),
        tags: case.tags.clone(),
        status: session.status.clone(),
        verdict: session.verdict.clone(),
        forbidden: {
            let forbidden = case.truth.forbidden.iter();
            forbidden
                .filter(|text| says(answer, text))
                .cloned()
                .collect()
        },
        healthy: case.truth.healthy,
        says_no_fault: tarsy_verdict::is_no_fault(answer),
        path: path.len(),
        path_called: path.iter().filter(is_called).count(),
        calls: count(|call| !call.refused),
        missing: count(|call| call.is_missing),
        refused: count(|call| call.refused),
        repeated: repeated(&session.calls),
        first_shown: first_shown.map(|position| position + 1),
        replies: session.replies,
        readable_replies: session.readable_replies,
        tokens: session.tokens,
        cost_usd: session.cost_usd,
        facts,
    }
}

/// Counts the calls that have the tool and arguments of an earlier call.
fn repeated(calls: &[Call]) -> usize {
    let arguments = |call: &Call| Value::Object(call.arguments.clone()).to_string();
    let keys = calls.iter().map(|call| (&call.tool, arguments(call)));
    let different: BTreeSet<_> = keys.collect();
    calls.len() - different.len()
}

impl Record {
    /// Returns whether another record has the same tool and the same arguments.
    #[must_use]
    pub fn is_same_call(&self, other: &Self) -> bool {
        self.tool == other.tool && self.args == other.args
    }

    /// Returns this record as a call of a session.
    #[must_use]
    pub fn as_call(&self) -> Call {
        Call {
            tool: self.tool.clone(),
            arguments: self.args.clone(),
            success: self.result.is_some(),
            refused: false,
            is_missing: false,
            result: self.result.clone().unwrap_or_default(),
        }
    }
}
