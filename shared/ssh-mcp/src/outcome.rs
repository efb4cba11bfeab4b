//! What a command did.

use serde::Serialize;

/// What a command did.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Its exit status. `None`: a signal ended it, or its output was cut.
    pub exit_status: Option<u32>,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Whether the time limit ended it.
    pub timed_out: bool,
    /// Whether there was more output than the limit.
    pub truncated: bool,
    /// Whether this is the answer of an earlier run.
    pub cached: bool,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}
