//! Compares two reports of the same cases, e.g. before and after a change.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::report::{Report, Settings};
use crate::score::Score;
use crate::statistics::mcnemar;

/// A difference is significant if chance gives a difference at least as large with a probability below this.
const SIGNIFICANT: f64 = 0.05;

/// Differences between an old and a new report.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Comparison {
    /// Facts that only the old report's answers state, as `case: fact`.
    pub lost: Vec<String>,
    /// Facts that only the new report's answers state.
    pub gained: Vec<String>,
    /// Cases that are right only in the old report.
    pub regressed: Vec<String>,
    /// Cases that are right only in the new report.
    pub improved: Vec<String>,
    /// Cases that are scored in only one of the reports.
    pub unpaired: Vec<String>,
    /// Settings of the two reports: provider, model, strategy and configuration.
    pub settings: [Settings; 2],
}

/// Compares the cases that both reports have scored.
#[must_use]
pub fn compare(old: &Report, new: &Report) -> Comparison {
    let by_case = |report: &Report| -> BTreeMap<String, Score> {
        let scored = report.scored();
        scored
            .map(|score| (score.case.clone(), score.clone()))
            .collect()
    };
    let settings = [old.settings.clone(), new.settings.clone()];
    let (old, mut new) = (by_case(old), by_case(new));
    let mut found = Comparison {
        settings,
        ..Comparison::default()
    };
    for (case, before) in old {
        let Some(after) = new.remove(&case) else {
            found.unpaired.push(case);
            continue;
        };
        for was in before.counted() {
            // A fact that was added to or removed from the case since then is in one report only.
            let Some(is) = after.counted().find(|is| is.fact == was.fact) else {
                continue;
            };
            let name = format!("{case}: {}", was.fact);
            match (was.said, is.said) {
                (true, false) => found.lost.push(name),
                (false, true) => found.gained.push(name),
                _ => {}
            }
        }
        match (before.is_right(), after.is_right()) {
            (true, false) => found.regressed.push(case),
            (false, true) => found.improved.push(case),
            _ => {}
        }
    }
    found.unpaired.extend(new.into_keys());
    found
}

impl Comparison {
    /// Returns p of the exact McNemar test over the facts.
    #[must_use]
    pub fn p_of_facts(&self) -> f64 {
        mcnemar(self.lost.len(), self.gained.len())
    }

    /// Returns p of the exact McNemar test over the cases.
    #[must_use]
    pub fn p_of_cases(&self) -> f64 {
        mcnemar(self.regressed.len(), self.improved.len())
    }

    /// Returns whether the new report is worse by more than chance explains.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        let facts = self.lost.len() > self.gained.len() && self.p_of_facts() < SIGNIFICANT;
        let cases = self.regressed.len() > self.improved.len() && self.p_of_cases() < SIGNIFICANT;
        facts || cases
    }

    /// Formats the comparison as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let [old, new] = &self.settings;
        let mut text = match old == new {
            true => format!("Both with {old}.\n\n"),
            false => format!("Before: {old}. Now: {new}.\n\n"),
        };
        let _ = write!(
            text,
            "| | only before | only now | p (exact McNemar) |\n|---|---|---|---|\n| facts said | {} | {} | {:.3} |\n| cases right | {} | {} | {:.3} |\n",
            self.lost.len(),
            self.gained.len(),
            self.p_of_facts(),
            self.regressed.len(),
            self.improved.len(),
            self.p_of_cases(),
        );
        for (title, names) in [
            ("Cases that are no longer right", &self.regressed),
            ("Facts that are no longer said", &self.lost),
            ("In one report only", &self.unpaired),
        ] {
            if !names.is_empty() {
                let _ = writeln!(text, "\n{title}:\n\n- {}", names.join("\n- "));
            }
        }
        text
    }
}
