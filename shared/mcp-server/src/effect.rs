//! What a tool changes.

use rmcp::model::ToolAnnotations;
use serde::Deserialize;

/// What a tool may change, as a configuration file says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    ReadOnly,
    /// Something, and a second call nothing more.
    Idempotent,
    /// Something, each time.
    Destructive,
}

impl Effect {
    /// The hints of the protocol that say so.
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
