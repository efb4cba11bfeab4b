//! `cargo xtask test`: runs the phases in two parallel lanes and prints tables at the end.

mod case;
mod context;
mod junit;
mod node_report;
mod phase;
mod progress;
mod report;
mod reports;
mod steps;

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use self::context::{Context, Selection};
use self::phase::{Lane, Phase};
use self::progress::{Outcome, Progress};
use crate::{disk, interrupt, terminal, workspace};

/// Run all checks and tests, as CI does.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Lint, build and document in one pass over the crates; faster only if nothing is built yet
    #[arg(long)]
    one_pass: bool,
    /// Arguments for the test runner, e.g. part of a test's name
    #[arg(last = true)]
    runner: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let start = Instant::now();
    disk::warn_if_short(&workspace::target());
    reports::forget();
    let context = Context::new(
        arguments.selection.clone(),
        arguments.one_pass,
        arguments.runner.clone(),
    );
    let progress = Progress::default();
    thread::scope(|scope| {
        scope.spawn(|| walk(Lane::Side, &context, &progress));
        walk(Lane::Main, &context, &progress);
    });
    context.end()?;
    report::print(&progress, &reports::read(), start.elapsed());
    if interrupt::is_requested() {
        bail!("interrupted");
    }
    Ok(if progress.passed() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs the phases of a lane.
fn walk(lane: Lane, context: &Context, progress: &Progress) {
    for phase in Phase::ALL.into_iter().filter(|phase| phase.lane() == lane) {
        progress.wait_for(phase.waits_for());
        let build_failed = matches!(progress.outcome(Phase::Build), Some(Outcome::Failed(_)));
        let outcome = if let Some(why) = context.selection.left_out(phase) {
            Outcome::LeftOut(why)
        } else if interrupt::is_requested() || (phase.needs_build() && build_failed) {
            Outcome::NotReached
        } else {
            let start = Instant::now();
            let result = match lane {
                Lane::Main => in_the_terminal(phase, context),
                Lane::Side => in_the_background(phase, context),
            };
            let outcome = Outcome::ended(&result, start.elapsed());
            if let Err(error) = result {
                terminal::failure(&error.context(format!("the phase `{}` failed", phase.name())));
            }
            outcome
        };
        progress.add(phase, outcome);
    }
}

fn in_the_terminal(phase: Phase, context: &Context) -> Result<()> {
    terminal::heading(phase.title());
    disk::require(&workspace::target()).and_then(|()| steps::run(phase, context))
}

/// Runs a phase with its output in a log, which is printed if it fails.
fn in_the_background(phase: Phase, context: &Context) -> Result<()> {
    let path = log(phase);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let log = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    terminal::info(&format!(
        "in parallel, {}: {}",
        phase.title(),
        workspace::shown(&path)
    ));
    terminal::log_to(Some(log));
    let result = disk::require(&workspace::target()).and_then(|()| steps::run(phase, context));
    terminal::log_to(None);
    if result.is_err() {
        terminal::heading(&format!("{} (failed)", phase.title()));
        println!("{}", fs::read_to_string(&path).unwrap_or_default());
    }
    result
}

fn log(phase: Phase) -> PathBuf {
    workspace::target().join(format!("xtask/logs/{}.log", phase.name()))
}
