//! Errors of this crate, grouped by how a caller handles them.

use std::time::Duration;

use tarsy_model::LocalFault;

use crate::transport::Flood;

/// Settings from which no pool can be created.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Two servers have the same id.
    #[error("MCP server `{0}` is configured twice")]
    DuplicateServer(String),
    /// An agent names a server that does not exist.
    #[error("unknown MCP server `{server}`; known: {known}", known = .known.join(", "))]
    UnknownServer {
        /// The name that the agent uses.
        server: String,
        known: Vec<String>,
    },
    /// An HTTP server's address can't be used.
    #[error("MCP server `{server}`: invalid URL: {reason}")]
    BadUrl { server: String, reason: String },
    /// A header's name or value can't be sent, or the header is reserved for the protocol.
    #[error("MCP server `{server}`: invalid header `{header}`")]
    BadHeader { server: String, header: String },
    /// The OAuth settings can't be used to fetch a token.
    #[error("MCP server `{server}`: invalid OAuth settings: {reason}")]
    BadOAuth { server: String, reason: String },
}

/// Reason why a tool call returned no answer. All texts are masked.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The call is not allowed or malformed. Nothing was sent.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The server can't be reached. Nothing was sent.
    #[error("MCP server `{server}` is unavailable: {message}")]
    Unavailable {
        server: String,
        message: String,
        /// Time until the next attempt to connect.
        retry_in: Option<Duration>,
        /// Fault of this machine that prevented the start, if that was the reason.
        fault: Option<LocalFault>,
    },
    /// No answer within the limit. The tool may have run.
    #[error("tool `{tool}` of `{server}` did not answer within {limit:?}")]
    Timeout {
        server: String,
        tool: String,
        limit: Duration,
    },
    /// The connection broke during the call. The tool may have run.
    #[error("connection to MCP server `{server}` was lost: {message}")]
    Lost { server: String, message: String },
    /// The server runs the call as a task and has no result of it. The tool may have run.
    #[error("MCP server `{server}` has no result of its task: {message}")]
    TaskLost { server: String, message: String },
    /// The server sent so much that the connection was closed. The tool may have run.
    #[error("connection to MCP server `{server}` was closed: {flood}")]
    Flooded {
        server: String,
        /// The limit that the server exceeded.
        flood: Flood,
    },
    /// The server answered, but the answer can't be read. The tool may have run.
    #[error("MCP server `{server}` sent an invalid response: {message}")]
    Unreadable { server: String, message: String },
    /// The server answered with a protocol error. It has not run the tool as requested.
    #[error("MCP server `{server}` returned error {code}: {message}")]
    Protocol {
        server: String,
        code: i32,
        message: String,
    },
    /// The caller cancelled the call. The server was notified and may have run the tool.
    #[error("tool call was cancelled")]
    Cancelled,
}

impl CallError {
    /// Whether the tool may have run despite the error.
    #[must_use]
    pub const fn outcome_unknown(&self) -> bool {
        matches!(
            self,
            Self::Timeout { .. }
                | Self::Lost { .. }
                | Self::TaskLost { .. }
                | Self::Flooded { .. }
                | Self::Unreadable { .. }
                | Self::Cancelled
        )
    }

    /// Returns the fault of this machine that prevented the server's start, if that was the reason.
    #[must_use]
    pub const fn fault(&self) -> Option<LocalFault> {
        match self {
            Self::Unavailable { fault, .. } => *fault,
            _ => None,
        }
    }

    /// Returns one word for records and metrics.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Unavailable { .. } => "unavailable",
            Self::Timeout { .. } => "timeout",
            Self::Lost { .. } => "connection_lost",
            Self::TaskLost { .. } => "task_lost",
            Self::Flooded { .. } => "flooded",
            Self::Unreadable { .. } => "unreadable",
            Self::Protocol { .. } => "protocol",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Reason why a call was not made, with hints for the model.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The agent has no tool of this name. Foreign and invented names give the same error, so that the model learns
    /// nothing about other agents' tools.
    #[error("unknown tool `{name}`{hint}", hint = did_you_mean(.nearest))]
    UnknownTool {
        name: String,
        /// The agent's own tools with similar names, best first.
        nearest: Vec<String>,
    },
    /// Several of the agent's servers have a tool of this name.
    #[error("tool name `{name}` is ambiguous; use one of {candidates}", candidates = .candidates.join(", "))]
    AmbiguousTool {
        name: String,
        candidates: Vec<String>,
    },
    /// The server is not one of the agent's.
    #[error("MCP server `{server}` is not available to this agent")]
    ForeignServer { server: String },
    /// The tool exists but is not in the agent's subset.
    #[error("tool `{server}.{tool}` is not available to this agent")]
    ToolNotGranted { server: String, tool: String },
    /// The tool may change or destroy something, and the agent's configuration does not allow that.
    #[error("tool `{server}.{tool}` can change the system and is not allowed for this agent")]
    DestructiveNotAllowed { server: String, tool: String },
    /// The arguments don't match the tool's schema.
    #[error("invalid arguments of `{server}.{tool}`: {problems}", problems = .problems.join("; "))]
    InvalidArguments {
        server: String,
        tool: String,
        /// Problems of the arguments, each with its place; at most eight.
        problems: Vec<String>,
    },
    /// Name, description or schema differ from those that the agent was shown (tool poisoning).
    #[error("tool `{server}.{tool}` changed after it was listed; it was not called")]
    ToolChanged { server: String, tool: String },
}

impl Refusal {
    /// Returns one word for the audit trail.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::UnknownTool { .. } => "unknown_tool",
            Self::AmbiguousTool { .. } => "ambiguous_tool",
            Self::ForeignServer { .. } => "foreign_server",
            Self::ToolNotGranted { .. } => "tool_not_granted",
            Self::DestructiveNotAllowed { .. } => "destructive_not_allowed",
            Self::InvalidArguments { .. } => "invalid_arguments",
            Self::ToolChanged { .. } => "tool_changed",
        }
    }
}

fn did_you_mean(nearest: &[String]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", nearest.join(" or "))
    }
}
