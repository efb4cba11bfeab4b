//! Prints the tables at the end.

use std::time::Duration;

use super::case::TestCase;
use super::phase::{Lane, Phase};
use super::progress::{Outcome, Progress};
use crate::{terminal, tools};

/// Number of slowest tests shown.
const SLOWEST: usize = 12;

/// Prints the slowest tests, those that failed, the outcome of each phase and the time of the whole run.
pub(super) fn print(progress: &Progress, tests: &[TestCase], total: Duration) {
    if !tests.is_empty() {
        terminal::heading("Slowest tests");
        for test in tests.iter().take(SLOWEST) {
            println!("  {:>12}  {}", terminal::duration(test.time), test.name);
        }
    }
    let mut failed = tests
        .iter()
        .filter(|test| test.failure.is_some())
        .peekable();
    if failed.peek().is_some() {
        terminal::heading("Failed tests");
    }
    for test in failed {
        let why = test.failure.as_deref().unwrap_or_default();
        println!("  {}\n      {}", test.name, why.replace('\n', "\n      "));
    }
    terminal::heading("Summary");
    let (mut passed, mut failed, mut left_out) = (0, 0, 0);
    for phase in Phase::ALL {
        let outcome = progress.outcome(phase).unwrap_or(Outcome::NotReached);
        let (verdict, detail) = match outcome {
            Outcome::Passed(time) => {
                passed += 1;
                (terminal::green("passed     "), terminal::duration(time))
            }
            Outcome::Failed(time) => {
                failed += 1;
                (terminal::red("FAILED     "), terminal::duration(time))
            }
            Outcome::LeftOut(why) => {
                left_out += 1;
                (terminal::yellow("LEFT OUT   "), why.to_owned())
            }
            Outcome::NotReached => {
                failed += 1;
                (terminal::yellow("not reached"), String::new())
            }
        };
        let lane = match phase.lane() {
            Lane::Main => "",
            Lane::Side => "  in parallel",
        };
        println!("  {:<14} {verdict} {detail:>20}{lane}", phase.name());
    }
    println!(
        "  {:<14} {:<11} {:>20}",
        "whole run",
        "",
        terminal::duration(total)
    );
    println!("\nphases: {passed} passed, {failed} failed");
    if matches!(
        progress.outcome(Phase::Tests),
        Some(Outcome::Passed(_) | Outcome::Failed(_))
    ) {
        for tests in tools::not_run() {
            println!("\n{}", terminal::yellow(&format!("NOT RUN: {tests}")));
        }
    }
    if left_out > 0 {
        println!(
            "\n{}",
            terminal::yellow("Phases were left out: this is not what CI runs.")
        );
    }
}
