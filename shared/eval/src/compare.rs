//! Compares two reports.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::report::{Report, Settings};
use crate::score::Score;
use crate::statistics::mcnemar;

/// A result is worse if chance gives a difference at least as large less often than this.
const SIGNIFICANT: f64 = 0.05;

/// What a new report has, and an old one had not.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Comparison {
    /// Facts that only the old report says, as `case: fact`.
    pub lost: Vec<String>,
    /// Facts that only the new one says.
    pub gained: Vec<String>,
    /// Cases that only the old one has right.
    pub regressed: Vec<String>,
    /// Cases that only the new one has right.
    pub improved: Vec<String>,
    /// Cases that only one of the reports has.
    pub unpaired: Vec<String>,
    /// What the reports are of, by provider, model, strategy and configuration.
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
            // A fact that the case has got or lost since is in one report only.
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
    /// P of the exact McNemar test over the facts.
    #[must_use]
    pub fn p_of_facts(&self) -> f64 {
        mcnemar(self.lost.len(), self.gained.len())
    }

    /// P of the exact McNemar test over the cases.
    #[must_use]
    pub fn p_of_cases(&self) -> f64 {
        mcnemar(self.regressed.len(), self.improved.len())
    }

    /// Whether the new report is worse beyond what chance explains.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        let facts = self.lost.len() > self.gained.len() && self.p_of_facts() < SIGNIFICANT;
        let cases = self.regressed.len() > self.improved.len() && self.p_of_cases() < SIGNIFICANT;
        facts || cases
    }

    /// The comparison as Markdown.
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
