//! State shared by the phases.

use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use tempfile::TempDir;

use super::phase::Phase;
use crate::server::Server;
use crate::{one_pass, workspace};

/// Selected phases, and their server.
#[derive(Default)]
pub(super) struct Context {
    pub(super) selection: Selection,
    /// Whether crates are linted and documented while they are built.
    pub(super) one_pass: bool,
    /// Folder with the metadata of the queries that the build expanded.
    pub(super) expanded: Mutex<Option<TempDir>>,
    /// Arguments for the test runner.
    pub(super) runner: Vec<String>,
    /// PostgreSQL server, started on first use.
    server: Mutex<Option<Arc<Server>>>,
}

/// Selected phases.
#[derive(Debug, Default, Clone, clap::Args)]
pub(super) struct Selection {
    /// Run only these phases
    #[arg(long, value_enum)]
    only: Vec<Phase>,
    /// Skip these phases
    #[arg(long, value_enum, conflicts_with = "only")]
    skip: Vec<Phase>,
    /// Skip the phases of the web apps, e.g. without Node.js or Chromium; the report notes it
    #[arg(long, conflicts_with = "only")]
    without_screens: bool,
}

impl Selection {
    pub(super) fn includes(&self, phase: Phase) -> bool {
        self.left_out(phase).is_none()
    }

    /// Returns the argument that excludes a phase, if any.
    pub(super) fn left_out(&self, phase: Phase) -> Option<&'static str> {
        if !self.only.is_empty() && !self.only.contains(&phase) {
            return Some("by --only");
        }
        if self.without_screens && matches!(phase, Phase::Web | Phase::Screens | Phase::Speed) {
            return Some("by --without-screens");
        }
        self.skip.contains(&phase).then_some("by --skip")
    }
}

impl Context {
    pub(super) fn new(selection: Selection, one_pass: bool, runner: Vec<String>) -> Self {
        Self {
            selection,
            one_pass,
            expanded: Mutex::default(),
            runner,
            server: Mutex::default(),
        }
    }

    /// Returns a cargo command with the compiler of this run.
    pub(super) fn cargo(&self) -> Result<Command> {
        let mut cargo = workspace::cargo();
        if self.one_pass {
            one_pass::use_for(&mut cargo)?;
        }
        Ok(cargo)
    }

    pub(super) fn server(&self) -> Result<Arc<Server>> {
        let mut server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = &*server {
            return Ok(Arc::clone(running));
        }
        let started = Arc::new(Server::for_tests()?);
        *server = Some(Arc::clone(&started));
        Ok(started)
    }

    /// Stops the server and deletes its data.
    pub(super) fn end(self) -> Result<()> {
        let server = self
            .server
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match server.and_then(Arc::into_inner) {
            Some(server) => server.remove(),
            None => Ok(()),
        }
    }
}
