//! Calls that ended without an answer.

use std::time::Duration;

use rmcp::service::ServiceError;
use tarsy_model::LocalFault;

use crate::error::CallError;
use crate::transport::{self, Flood, UNREADABLE};

/// Reason why a call ended without an answer.
pub(crate) enum CallLost {
    TimedOut,
    Flooded(Flood),
    /// The call became a task, and the task has no result.
    TaskLost(String),
    Service(ServiceError),
}

impl CallLost {
    pub(crate) fn connection_is_gone(&self) -> bool {
        self.forgot_the_session()
            || matches!(
                self,
                Self::Service(ServiceError::TransportSend(_) | ServiceError::TransportClosed)
            )
    }

    /// Whether the request never reached the server, or the server rejected it without processing it.
    pub(crate) fn surely_not_run(&self) -> bool {
        matches!(self, Self::Service(ServiceError::TransportSend(error)) if transport::never_arrived(error))
    }

    fn forgot_the_session(&self) -> bool {
        matches!(self, Self::Service(error) if forgot_the_session(error))
    }

    pub(crate) fn into_call_error(
        self,
        server: &str,
        tool: &str,
        limit: Duration,
        explain: impl Fn(&str) -> String,
    ) -> CallError {
        let server = server.to_owned();
        let never_ran = self.surely_not_run();
        match self {
            Self::TimedOut => CallError::Timeout {
                server,
                tool: tool.to_owned(),
                limit,
            },
            Self::Flooded(flood) => CallError::Flooded { server, flood },
            Self::TaskLost(why) => CallError::TaskLost {
                server,
                message: explain(&why),
            },
            Self::Service(ServiceError::McpError(error))
                if error
                    .data
                    .as_ref()
                    .is_some_and(|data| data.get(UNREADABLE).is_some()) =>
            {
                CallError::Unreadable {
                    server,
                    message: explain(&error.message),
                }
            }
            Self::Service(ServiceError::McpError(error)) => CallError::Protocol {
                server,
                code: error.code.0,
                message: explain(&error.message),
            },
            Self::Service(error) if never_ran => CallError::Unavailable {
                server,
                message: explain(&error.to_string()),
                retry_in: None,
                fault: transport::shortage(&error).map(LocalFault::Shortage),
            },
            Self::Service(error) => CallError::Lost {
                server,
                message: explain(&error.to_string()),
            },
        }
    }
}

/// Whether a server reports by a protocol error, instead of HTTP 404, that it does not know the session. A tool may
/// report this about its own kind of session after it has run. So only repeatable calls are made again.
pub(crate) fn forgot_the_session(error: &ServiceError) -> bool {
    let ServiceError::McpError(error) = error else {
        return false;
    };
    let text = error.message.to_lowercase();
    let is_lost = [
        "not found",
        "invalid",
        "expired",
        "unknown",
        "no valid",
        "not initialized",
        "missing",
    ];
    let codes = [-32_600, -32_000, -32_001];
    codes.contains(&error.code.0)
        && text.contains("session")
        && is_lost.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ErrorCode, ErrorData};

    use super::*;

    #[test]
    fn a_forgotten_session_ends_the_connection_and_repeats_no_call_that_may_have_run() {
        let lost = |code: i32, text: &str| {
            let error = ErrorData::new(ErrorCode(code), text.to_owned(), None);
            CallLost::Service(ServiceError::McpError(error))
        };
        for (code, text, is_gone) in [
            (-32_001, "Session not found", true),
            (-32_000, "Bad Request: No valid session ID provided", true),
            (-32_600, "Session terminated", false),
            (-32_602, "session not found", false),
            (-32_000, "the file is not found", false),
        ] {
            let lost = lost(code, text);
            assert_eq!(lost.connection_is_gone(), is_gone, "{text}");
            assert!(!lost.surely_not_run(), "{text}");
        }
    }
}
