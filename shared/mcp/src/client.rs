//! Our side of the protocol: what we tell servers and what we listen to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::handler::client::ClientHandler;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{NotificationContext, RoleClient};

/// A client that offers servers nothing (no sampling, no roots, no elicitation) and notes
/// when a server's tools have changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    tools_changed: Arc<AtomicBool>,
}

impl Client {
    /// Whether the tool list has changed since this was last asked.
    pub(crate) fn take_tools_changed(&self) -> bool {
        self.tools_changed.swap(false, Ordering::AcqRel)
    }

    /// Have the tool list fetched again.
    pub(crate) fn set_tools_changed(&self) {
        self.tools_changed.store(true, Ordering::Release);
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("tarsy", env!("CARGO_PKG_VERSION")),
        )
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.set_tools_changed();
    }
}
