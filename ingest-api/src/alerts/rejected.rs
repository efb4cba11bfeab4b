//! Alerts that are not accepted: each is counted, logged and kept, so that "why did my alert not
//! show up?" has an answer.
//!
//! [`witness`] stands around the routes that take alerts and looks at each answer. What is
//! written is bounded, and off the request's path: a flood of bad posts is counted, not kept.

mod budget;
pub(crate) mod handlers;
mod journal;
mod middleware;
mod outcome;
mod witness;

pub(crate) use journal::{Journal, kept_headers};
pub(crate) use middleware::witness;
pub(crate) use outcome::{Outcome, Outcomes, Refusal, RejectedAlert};
pub(crate) use witness::Witness;
