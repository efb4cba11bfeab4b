//! Notifications of ended sessions.
//!
//! The transaction that ends the session writes a delivery and its job for each target. A job
//! posts once; a failed delivery is retried over a day, with the same `webhook-id`, so that a receiver can tell a repetition.
//! Messages of a Slack app go to one thread for each session.
//! PagerDuty and Opsgenie get a note in the alert's incident.
//! A target that answers with `Retry-After` gets its posts one by one, at that distance.

mod answer;
mod asked_call;
mod attempt;
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
