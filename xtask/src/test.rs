//! `cargo xtask test`: one phase after another, a table at the end.

mod phase;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use self::phase::Phase;
use self::report::{Outcome, Report};
use crate::server::Server;
use crate::{disk, interrupt, terminal, workspace};

/// Check everything that CI checks.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Run only these phases
    #[arg(long, value_enum)]
    only: Vec<Phase>,
    /// Leave these phases out
    #[arg(long, value_enum, conflicts_with = "only")]
    skip: Vec<Phase>,
    /// Leave the web apps out, e.g. where there is no Node.js or Chromium; the report says so
    #[arg(long, conflicts_with = "only")]
    without_screens: bool,
    /// Passed on to the test runner, e.g. a part of a test's name
    #[arg(last = true)]
    runner: Vec<String>,
}

/// What the phases share.
struct Run<'a> {
    arguments: &'a Arguments,
    /// Started when the first phase asks for it.
    server: Option<Server>,
    /// Where clippy left the fresh query metadata, once it has.
    queries: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut run = Run {
        arguments,
        server: None,
        queries: None,
    };
    let mut report = Report::default();
    let target = workspace::target();
    disk::warn_if_short(&target);
    for phase in Phase::ALL {
        if let Some(why) = arguments.left_out(phase) {
            report.add(phase, Outcome::LeftOut(why));
            continue;
        }
        if interrupt::asked() || (phase.needs_build() && report.failed(Phase::Build)) {
            report.add(phase, Outcome::NotReached);
            continue;
        }
        terminal::heading(phase.title());
        let start = Instant::now();
        let outcome = disk::require(&target).and_then(|()| phase.run(&mut run));
        if let Err(error) = &outcome {
            terminal::failure(error);
        }
        report.add(phase, Outcome::ended(&outcome, start.elapsed()));
    }
    if let Some(server) = run.server.take() {
        server.remove()?;
    }
    report.print();
    if interrupt::asked() {
        bail!("interrupted");
    }
    Ok(if report.passed() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl Arguments {
    fn wants(&self, phase: Phase) -> bool {
        self.left_out(phase).is_none()
    }

    /// The argument that leaves a phase out, if one does.
    fn left_out(&self, phase: Phase) -> Option<&'static str> {
        if !self.only.is_empty() && !self.only.contains(&phase) {
            return Some("by --only");
        }
        if self.without_screens && phase == Phase::Screens {
            return Some("by --without-screens");
        }
        self.skip.contains(&phase).then_some("by --skip")
    }
}

impl Run<'_> {
    fn server(&mut self) -> Result<&Server> {
        if self.server.is_none() {
            self.server = Some(Server::for_tests()?);
        }
        match &self.server {
            Some(server) => Ok(server),
            None => bail!("there is no server"),
        }
    }

    fn queries_folder() -> PathBuf {
        workspace::target().join("xtask/queries")
    }
}
