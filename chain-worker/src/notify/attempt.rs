//! Outcomes of a single post to a target.

use std::time::Duration;

/// Why a post failed.
pub(super) struct Refusal {
    pub(super) status: Option<i32>,
    pub(super) error: String,
    /// The target asks to come again after this time.
    pub(super) retry_after: Option<Duration>,
    /// Another attempt would fail as well.
    pub(super) is_final: bool,
}

/// A post that was accepted.
pub(super) struct Receipt {
    /// HTTP status; `None`: there was nothing to post.
    pub(super) status: Option<i32>,
    /// The Slack thread that it went to.
    pub(super) slack_thread: Option<String>,
    /// What Slack calls the message.
    pub(super) message_ts: Option<String>,
}

impl Receipt {
    /// What was taken with this status; `None`: there was nothing to post.
    pub(super) const fn with(status: Option<i32>) -> Self {
        Self {
            status,
            slack_thread: None,
            message_ts: None,
        }
    }
}

impl Refusal {
    /// A post without an answer.
    pub(super) fn unanswered(error: String) -> Self {
        Self {
            status: None,
            error,
            retry_after: None,
            is_final: false,
        }
    }
}
