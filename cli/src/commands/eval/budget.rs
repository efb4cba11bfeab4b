//! What an evaluation may spend.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;
use tarsy_eval::{Case, cost_usd};

/// What the cases of a run may cost, and what they have cost.
pub(super) struct Budget {
    /// Dollars; `None`: as much as it takes.
    most: Option<f64>,
    /// Parallel sessions under a budget. Those that have started may exceed it.
    parallel: usize,
    /// Dollars, by case.
    spent: BTreeMap<String, f64>,
}

impl Budget {
    /// Counts what the kept sessions of the run have cost.
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

    /// Notes what the session of a case has cost so far.
    pub(super) fn note(&mut self, case: &str, session: &Value) {
        self.spent.insert(case.to_owned(), cost_usd(session));
    }

    /// Whether no further case may start.
    pub(super) fn is_reached(&self) -> bool {
        self.most.is_some_and(|most| self.total() >= most)
    }

    /// Whether another case may start now. Without a budget, all cases wait in the fleet's queue.
    pub(super) fn has_room(&self, running: usize) -> bool {
        self.most.is_none() || running < self.parallel
    }

    /// Says that the budget has left cases out.
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
