//! Tool calls that the fixture MCP server (`fixtures/ledger_server.py`) has received.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The file to which the server appends each received tool call.
#[derive(Debug)]
pub struct Ledger(PathBuf);

impl Ledger {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns how often a tool was called.
    #[must_use]
    pub fn calls(&self, tool: &str) -> usize {
        let written = fs::read_to_string(&self.0).unwrap_or_default();
        let lines = written
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["tool"] == tool).count()
    }
}
