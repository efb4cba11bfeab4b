//! Results of a single post to a target.

use std::time::Duration;

/// Reason why a post failed.
pub(super) struct Refusal {
    pub(super) status: Option<i32>,
    pub(super) error: String,
    /// Time after which the target asks to try again.
    pub(super) retry_after: Option<Duration>,
    /// Whether another attempt would fail too.
    pub(super) is_final: bool,
}

/// Result of an accepted post.
pub(super) struct Receipt {
    /// HTTP status; `None` if there was nothing to post.
    pub(super) status: Option<i32>,
    /// Slack thread of the message.
    pub(super) slack_thread: Option<String>,
    /// Slack's timestamp of the message.
    pub(super) message_ts: Option<String>,
}

impl Receipt {
    /// Creates a receipt with this status; `None` if there was nothing to post.
    pub(super) const fn with(status: Option<i32>) -> Self {
        Self {
            status,
            slack_thread: None,
            message_ts: None,
        }
    }
}

impl Refusal {
    /// Creates the refusal of a post without a response.
    pub(super) fn unanswered(error: String) -> Self {
        Self {
            status: None,
            error,
            retry_after: None,
            is_final: false,
        }
    }
}
