//! The two ways in which a connection begins.

use rmcp::model::ProtocolVersion;
use rmcp::service::ClientLifecycleMode;

/// How a connection begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Greeting {
    /// `initialize`, as up to revision 2025-11-25.
    #[default]
    Handshake,
    /// `server/discover`, as from revision 2026-07-28 on, which has no handshake.
    Discovery,
}

impl Greeting {
    /// The same, in the words of the protocol's library.
    pub(crate) fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Handshake => ClientLifecycleMode::Initialize,
            Self::Discovery => ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        }
    }
}
