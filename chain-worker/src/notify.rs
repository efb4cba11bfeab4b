//! Notifications of started, waiting and ended sessions.
//!
//! The transaction that ends a session writes a delivery and its job for each target. A job posts once. A failed
//! delivery is retried for a day with the same `webhook-id`, so that a receiver can recognise a repetition.
//!
//! A Slack app posts all messages of a session to one thread. PagerDuty and Opsgenie get a note in the alert's
//! incident. Posts to a target that answers with `Retry-After` are sent one by one, with that time in between.

mod answer;
mod attempt;
mod call_to_approve;
mod decision;
mod deliver;
mod markup;
mod message;
mod pacing;
mod recipients;
mod signature;
mod slack;
mod subject;
mod subscriptions;
mod target;
mod write_back;

pub(crate) use deliver::DELIVERY_JOB;
pub use deliver::{Notifier, WEBHOOK_QUEUE, delivery_job};
pub use recipients::Recipients;
pub(crate) use subscriptions::Subscriptions;
pub use target::{SlackTarget, Target, targets};
