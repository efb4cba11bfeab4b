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
    /// Cancels the call: the server is told, the caller gets [`crate::CallError::Cancelled`] at
    /// once. Dropping the call's future does the same.
    pub cancel: CancellationToken,
    /// Sent as `_meta["tarsy/request-id"]`, so that a server can recognise a repetition.
    pub request_id: Option<InteractionId>,
    /// Sent as `_meta["tarsy/session-id"]`: on whose behalf it is called.
    pub session_id: Option<SessionId>,
    /// Sent as `_meta["traceparent"]` (W3C trace context).
    pub traceparent: Option<String>,
    /// Pin of the tool as the agent was shown it; another pin is refused.
    pub pin: Option<ToolPin>,
    /// Id of the task that the call has become already: its result is waited for, and nothing is called.
    pub task: Option<String>,
    /// Gets the id of the task that the call becomes, if it becomes one.
    pub task_begun: Option<mpsc::UnboundedSender<String>>,
}

/// The result of a tool call, masked and bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The answer as text: text content as it is, other content named. At most the server's
    /// `max_output_bytes`; store it whole and show it by [`crate::page`].
    pub text: String,
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// Wall time of the call.
    pub duration: Duration,
    /// How many secrets of which kind were masked.
    pub masked_kinds: BTreeMap<String, usize>,
    /// Whether `text` is not all of the answer; it then ends with a visible marker.
    pub truncated: bool,
    /// Size of the answer as it was received, in bytes.
    pub total_bytes: u64,
}

/// Tools and instructions of one of an agent's servers.
#[derive(Clone, Debug, Default)]
pub struct ListedServer {
    /// Tools the agent may call, as the server lists them.
    pub tools: Vec<ToolInfo>,
    /// What the server itself tells clients about its use: untrusted, masked, at most 4,000 bytes.
    pub instructions: Option<String>,
}

/// The tools of an agent, and its servers that failed to list theirs.
#[derive(Clone, Debug, Default)]
pub struct ToolListing {
    /// Tools the agent may call, by server in the agent's order, then as the server lists them.
    pub tools: Vec<ToolInfo>,
    /// Servers that say something of their use, with that: untrusted, masked, at most 4,000 bytes.
    pub instructions: Vec<(String, String)>,
    /// Servers that gave no list, with the masked reason.
    pub unavailable: Vec<(String, String)>,
}

/// Status of a server, for health checks.
#[derive(Clone, Debug)]
pub struct ServerStatus {
    /// Server id.
    pub server: String,
    /// Its connection.
    pub state: ConnectionState,
    /// How many tools it lists, if it was asked.
    pub tools: Option<usize>,
    /// How often it was started or connected to since this process began.
    pub starts: u64,
    /// The last failure, masked; kept while the server works again.
    pub last_error: Option<String>,
    /// What the server wrote on stderr before that failure: masked, its last 8 KiB. For people, never for a model.
    pub stderr: Option<String>,
}

/// A connection's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Not started: nobody needed it yet, or it ended and nobody needed it since.
    Idle,
    /// Handshake done.
    Connected,
    /// Failed to start; the next call after this time tries again.
    Failing {
        /// Failures in a row.
        failures: u32,
        /// Until then calls fail at once.
        retry_in: Duration,
    },
}
