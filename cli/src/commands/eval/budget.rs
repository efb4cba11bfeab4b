//! Budget of an evaluation.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;
use tarsy_eval::{Case, cost_usd};

/// Budget of a run, and the cost of its cases so far.
pub(super) struct Budget {
    /// Limit in US dollars; `None`: unlimited.
    most: Option<f64>,
    /// Maximum number of parallel sessions under a budget. Sessions that have started may exceed the budget.
    parallel: usize,
    /// Cost in US dollars, by case.
    spent: BTreeMap<String, f64>,
}

impl Budget {
    /// Adds up the cost of the run's stored sessions.
    pub(super) fn new(
        most: Option<f64>,
        parallel: u32,
        folder: &Path,
        cases: &[Case],
    ) -> Result<Self> {
        let mut budget = Self {
            most,
            parallel: usize::try_from(parallel)?,
            spent: BTreeMap::new(),
        };
        for case in cases {
            let file = super::session_file(folder, &case.id);
            if most.is_some() && file.exists() {
                budget.note(&case.id, &super::read_json(&file)?);
            }
        }
        Ok(budget)
    }

    /// Records the cost of a case's session so far.
    pub(super) fn note(&mut self, case: &str, session: &Value) {
        self.spent.insert(case.to_owned(), cost_usd(session));
    }

    /// Whether no further case may start.
    pub(super) fn is_reached(&self) -> bool {
        self.most.is_some_and(|most| self.total() >= most)
    }

    /// Whether another case may start now. Without a budget, all cases are queued in the fleet at once.
    pub(super) fn has_room(&self, running: usize) -> bool {
        self.most.is_none() || running < self.parallel
    }

    /// Returns a notice if the budget excluded cases.
    pub(super) fn exhausted_notice(&self, ran: usize, left: usize) -> Option<String> {
        let most = self.most.filter(|_| left > 0)?;
        Some(format!(
            "the budget of ${most:.2} is reached: {ran} cases have cost ${:.4}, {left} were not run; \
             go on with the same --output and a larger --budget",
            self.total()
        ))
    }

    fn total(&self) -> f64 {
        self.spent.values().sum()
    }
}

pub(super) fn dollars(text: &str) -> Result<f64, String> {
    let amount = text.parse().ok();
    let amount = amount.filter(|amount: &f64| amount.is_finite() && *amount > 0.0);
    amount.ok_or_else(|| "not a number of dollars above 0, e.g. 5.00".to_owned())
}
