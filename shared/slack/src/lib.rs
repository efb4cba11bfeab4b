//! Slack's Web API, as far as a notification target needs it: post, update, whisper, read.
//!
//! Slack answers most refusals with status 200 and `"ok": false`; a rate limit is a 429 with `Retry-After`.
//! <https://docs.slack.dev/apis/web-api/>

mod api;
mod thread;

pub use api::{Listener, Posted, Refusal, Slack};
pub use thread::{Thread, marks, metadata, own_message, thread_of};

/// Block of the buttons that decide.
pub const DECISION_BLOCK: &str = "decision";
/// Action of the button that approves; its value is the wait's id.
pub const APPROVE: &str = "approve";
/// Action of the button that denies; its value is the wait's id.
pub const DENY: &str = "deny";
