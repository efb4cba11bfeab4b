//! Options and outcomes of tool calls.

use std::collections::BTreeMap;
use std::time::Duration;

use tarsy_model::{InteractionId, SessionId};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::tool::{ToolInfo, ToolPin};

/// Options of a call.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// Longest time to wait; `None`: the server's `call_timeout`.
    pub timeout: Option<Duration>,
    /// Cancels the call. The server is notified, and the caller gets [`crate::CallError::Cancelled`] at once. Dropping
    /// the call's future has the same effect.
    pub cancel: CancellationToken,
    /// Sent as `_meta["tarsy/request-id"]`, so that a server can recognise a repeated call.
    pub request_id: Option<InteractionId>,
    /// Session that the call is made for. Sent as `_meta["tarsy/session-id"]`.
    pub session_id: Option<SessionId>,
    /// Sent as `_meta["traceparent"]` (W3C trace context).
    pub traceparent: Option<String>,
    /// Pin of the tool that the agent was shown. The call is refused if the tool's pin differs.
    pub pin: Option<ToolPin>,
    /// Id of the task that the call has already become. Its result is awaited, and no call is made.
    pub task: Option<String>,
    /// Receives the task's id if the call becomes a task.
    pub task_begun: Option<mpsc::UnboundedSender<String>>,
}

/// The result of a tool call, masked and limited in size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The answer as text: text content unchanged, and names for other content. At most the server's
    /// `max_output_bytes`. Store it whole, and show it with [`crate::page`].
    pub text: String,
    /// Whether the tool reported that it failed.
    pub is_error: bool,
    /// Wall time of the call.
    pub duration: Duration,
    /// Number of masked secrets by kind.
    pub masked_kinds: BTreeMap<String, usize>,
    /// Whether `text` is only a part of the answer. It then ends with a visible marker.
    pub truncated: bool,
    /// Size of the answer as received, in bytes.
    pub total_bytes: u64,
}

/// Tools and instructions of one of an agent's servers.
#[derive(Clone, Debug, Default)]
pub struct ListedServer {
    /// Tools that the agent may call, in the server's order.
    pub tools: Vec<ToolInfo>,
    /// The server's own text about its use: untrusted, masked, at most 4,000 bytes.
    pub instructions: Option<String>,
}

/// The tools of an agent, and its servers that failed to list their tools.
#[derive(Clone, Debug, Default)]
pub struct ToolListing {
    /// Tools that the agent may call, by server in the agent's order, then in the server's order.
    pub tools: Vec<ToolInfo>,
    /// Servers with a text about their use, and that text: untrusted, masked, at most 4,000 bytes.
    pub instructions: Vec<(String, String)>,
    /// Servers that returned no list, with the masked reason.
    pub unavailable: Vec<(String, String)>,
}

/// Status of a server, for health checks.
#[derive(Clone, Debug)]
pub struct ServerStatus {
    /// Server id.
    pub server: String,
    /// State of its connection.
    pub state: ConnectionState,
    /// Number of tools in its list; `None`: not listed yet.
    pub tools: Option<usize>,
    /// How often it was started or connected to since this process started.
    pub starts: u64,
    /// The last failure, masked. Kept after the server works again.
    pub last_error: Option<String>,
    /// Last 8 KiB that the server wrote on stderr before that failure, masked. For people, never for a model.
    pub stderr: Option<String>,
}

/// State of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Not started: not needed yet, or ended and not needed since.
    Idle,
    /// The handshake is done.
    Connected,
    /// The start failed. The first call after `retry_in` tries again.
    Failing {
        /// Failures in a row.
        failures: u32,
        /// Until this time has passed, calls fail at once.
        retry_in: Duration,
    },
}
