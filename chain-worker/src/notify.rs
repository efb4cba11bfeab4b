//! Telling others that a session has ended.
//!
//! Who is told is decided in the transaction that ends the session: a delivery and its job
//! for each target. A job posts once; a target that does not take it is tried again over a
//! day, with the same `webhook-id`, so that a receiver can tell a repetition.

mod deliver;
mod message;
mod signature;
mod target;

pub use deliver::{DELIVERY_JOB, Notifier, WEBHOOK_QUEUE, delivery_job};
pub(crate) use target::Subscriptions;
pub use target::{Target, targets};
