//! Client of Slack's Web API, with the calls that a notification target needs: post, update, whisper, read.
//!
//! Slack responds to most failed calls with status 200 and `"ok": false`. A rate limit is a 429 with `Retry-After`.
//! <https://docs.slack.dev/apis/web-api/>

mod api;
mod thread;

pub use api::{Listener, Posted, Refusal, Slack};
pub use thread::{Thread, marks, metadata, own_message, thread_of};

/// Id of the block with the buttons for a decision.
pub const DECISION_BLOCK: &str = "decision";
/// Action of the approve button. Its value is the wait's id.
pub const APPROVE: &str = "approve";
/// Action of the deny button. Its value is the wait's id.
pub const DENY: &str = "deny";
