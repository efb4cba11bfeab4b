//! Effects of tools.

use rmcp::model::ToolAnnotations;
use serde::Deserialize;

/// Effect of a tool, as stated in a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The tool changes nothing.
    ReadOnly,
    /// The tool changes something. A repeated call has no further effect.
    Idempotent,
    /// The tool changes something with each call.
    Destructive,
}

impl Effect {
    /// Returns the protocol's hints for this effect.
    #[must_use]
    pub fn annotations(self) -> ToolAnnotations {
        let hints = ToolAnnotations::new();
        match self {
            Self::ReadOnly => hints.read_only(true),
            Self::Idempotent => hints.read_only(false).destructive(false).idempotent(true),
            Self::Destructive => hints.read_only(false).destructive(true).idempotent(false),
        }
    }
}
