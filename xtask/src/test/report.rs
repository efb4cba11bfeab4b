//! The table at the end.

use std::time::Duration;

use anyhow::Result;

use super::phase::Phase;
use crate::terminal;

/// How a phase went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed(Duration),
    Failed(Duration),
    /// By the argument that this names.
    LeftOut(&'static str),
    /// An earlier phase failed, or Ctrl-C.
    NotReached,
}

impl Outcome {
    pub(super) fn ended(result: &Result<()>, time: Duration) -> Self {
        match result {
            Ok(()) => Self::Passed(time),
            Err(_) => Self::Failed(time),
        }
    }
}

/// What is known so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    phases: Vec<(Phase, Outcome)>,
}

impl Report {
    pub(super) fn add(&mut self, phase: Phase, outcome: Outcome) {
        self.phases.push((phase, outcome));
    }

    pub(super) fn failed(&self, phase: Phase) -> bool {
        self.phases
            .iter()
            .any(|(one, outcome)| *one == phase && matches!(outcome, Outcome::Failed(_)))
    }

    /// Whether nothing that was wanted failed or was not reached.
    pub(super) fn passed(&self) -> bool {
        self.phases
            .iter()
            .all(|(_, outcome)| matches!(outcome, Outcome::Passed(_) | Outcome::LeftOut(_)))
    }

    pub(super) fn print(&self) {
        terminal::heading("Summary");
        let mut total = Duration::ZERO;
        for (phase, outcome) in &self.phases {
            let (verdict, time) = match outcome {
                Outcome::Passed(time) => (terminal::green("passed     "), Some(*time)),
                Outcome::Failed(time) => (terminal::red("FAILED     "), Some(*time)),
                Outcome::LeftOut(_) => (terminal::yellow("LEFT OUT   "), None),
                Outcome::NotReached => (terminal::yellow("not reached"), None),
            };
            total += time.unwrap_or_default();
            let time = match outcome {
                Outcome::LeftOut(why) => (*why).to_owned(),
                _ => time.map(terminal::duration).unwrap_or_default(),
            };
            println!("  {:<14} {verdict} {time:>20}", phase.name());
        }
        println!(
            "  {:<14} {:<11} {:>20}",
            "total",
            "",
            terminal::duration(total)
        );
        let count = |wanted: fn(&Outcome) -> bool| {
            self.phases.iter().filter(|(_, one)| wanted(one)).count()
        };
        let passed = count(|one| matches!(one, Outcome::Passed(_)));
        let failed = count(|one| matches!(one, Outcome::Failed(_) | Outcome::NotReached));
        println!("\nphases: {passed} passed, {failed} failed");
        if count(|one| matches!(one, Outcome::LeftOut(_))) > 0 {
            println!(
                "\n{}",
                terminal::yellow("Phases were left out: this is not what CI runs.")
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_that_was_not_reached_is_no_success() {
        let mut report = Report::default();
        report.add(Phase::Format, Outcome::Passed(Duration::ZERO));
        report.add(Phase::Docs, Outcome::LeftOut("by --skip"));
        assert!(report.passed());
        report.add(Phase::Tests, Outcome::NotReached);
        assert!(!report.passed());
    }
}
