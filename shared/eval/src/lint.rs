//! Checks cases for mistakes that make them measure nothing.

use std::fmt;

use crate::case::{Case, Record};
use crate::replay::Replay;
use crate::score::score;
use crate::session::Session;
use crate::text::says;

/// A mistake in a case.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// The case.
    pub case: String,
    /// Whether the case measures nothing as it is. Otherwise a person should check it.
    pub is_error: bool,
    /// The mistake, and how to fix it.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_error { "error" } else { "warning" };
        write!(f, "{kind}: {}: {}", self.case, self.text)
    }
}

/// Finds facts that the alert gives away or no record shows, records that no call reaches, wrong paths, and truths
/// that a constant answer satisfies.
#[must_use]
pub fn lint(case: &Case) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut say = |is_error: bool, text: String| {
        found.push(Finding {
            case: case.id.clone(),
            is_error,
            text,
        });
    };
    let alert = case.alert.to_string();
    let truth = &case.truth;
    let is_given = |wordings: &[String]| wordings.iter().any(|wording| says(&alert, wording));
    let (given, asked): (Vec<_>, Vec<_>) = truth.facts.iter().partition(|fact| is_given(&fact.0));
    for fact in &given {
        let said = first(&fact.0);
        say(
            false,
            format!("the alert says `{said}` already; the fact is not counted"),
        );
    }
    if !truth.healthy && asked.is_empty() {
        let why = "no fact is left to find; name one that only the records show";
        say(true, why.to_owned());
    }
    for fact in asked {
        let shows = |record: &Record| {
            let text = record.result.as_deref().unwrap_or_default();
            fact.0.iter().any(|wording| says(text, wording))
        };
        if !truth.healthy && !case.records.iter().any(shows) {
            let wanted = first(&fact.0);
            let why = "an answer can only conclude or guess it";
            say(false, format!("no record shows `{wanted}`; {why}"));
        }
    }
    for (number, record) in (1..).zip(&case.records) {
        let name = format!("record {number} (`{}`)", record.tool);
        if record.result.is_none() && record.error.is_none() {
            say(true, format!("{name} has neither `result` nor `error`"));
        }
        if case.replay(&record.tool, &record.args) != Replay::Recorded(record) {
            let why = "an earlier one answers its call";
            say(false, format!("{name} is never reached: {why}"));
        }
    }
    for tool in &truth.path {
        let is_recorded = case.records.iter().any(|record| record.tool == *tool);
        if !is_recorded && !case.tools.iter().any(|known| known.name == *tool) {
            say(true, format!("`path` names `{tool}`, which no record has"));
        }
    }
    for constant in CONSTANT_ANSWERS {
        if score(case, &Session::constant(constant)).is_right() && !truth.healthy {
            say(true, format!("the constant answer `{constant}` is right"));
        }
    }
    found
}

fn first(wordings: &[String]) -> &str {
    wordings.first().map_or("", String::as_str)
}

/// Answers without an investigation. No case should accept one as right.
pub(crate) const CONSTANT_ANSWERS: [&str; 3] = [
    "Nothing is wrong: no fault was found, the system is healthy.",
    "The root cause is unknown.",
    "The pod was OOMKilled: its memory limit was exceeded. CPU, memory, disk, network, database, configuration and deployment were checked.",
];

impl Session {
    /// Creates a session that ended with this answer and made no call.
    pub(crate) fn constant(answer: &str) -> Self {
        Self {
            status: "completed".to_owned(),
            answer: Some(answer.to_owned()),
            ..Self::default()
        }
    }
}
