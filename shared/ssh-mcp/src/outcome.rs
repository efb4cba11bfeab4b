//! Outcome of a command.

use serde::Serialize;

/// Outcome of a command.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Exit status. `None`: a signal ended the command, or its output was cut.
    pub exit_status: Option<u32>,
    /// Signal that ended the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Whether the time limit ended the command.
    pub timed_out: bool,
    /// Whether the output exceeded the limit.
    pub truncated: bool,
    /// Whether this is the cached answer of an earlier run.
    pub cached: bool,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}
