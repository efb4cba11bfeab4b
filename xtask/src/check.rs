//! `cargo xtask check`: the quick checks for daily work.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

use crate::server::Server;
use crate::{format, lint, runner, terminal};

/// Checks the format, lints, and runs the unit tests and the repository's rules. Reports the time of each.
pub(crate) fn run() -> Result<ExitCode> {
    timed("format", format::check)?;
    timed("clippy", lint::clippy)?;
    timed("unit tests", || {
        let server = Server::for_tests()?;
        let outcome = runner::unit_tests(&server);
        server.remove()?;
        outcome
    })?;
    Ok(ExitCode::SUCCESS)
}

fn timed(name: &str, step: impl FnOnce() -> Result<()>) -> Result<()> {
    let start = Instant::now();
    let outcome = step();
    let verdict = if outcome.is_ok() { "passed" } else { "FAILED" };
    terminal::info(&format!(
        "{name}: {verdict} in {}",
        terminal::duration(start.elapsed())
    ));
    outcome
}
