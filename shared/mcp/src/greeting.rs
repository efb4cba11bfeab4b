//! The two ways to begin a connection.

use rmcp::model::ProtocolVersion;
use rmcp::service::ClientLifecycleMode;

/// Way to begin a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Greeting {
    /// `initialize`, for revisions up to 2025-11-25.
    #[default]
    Handshake,
    /// `server/discover`, for revisions since 2026-07-28, which have no handshake.
    Discovery,
}

impl Greeting {
    /// Converts to the corresponding type of `rmcp`.
    pub(crate) fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Handshake => ClientLifecycleMode::Initialize,
            Self::Discovery => ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        }
    }
}
