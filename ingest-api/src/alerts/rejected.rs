//! Journal of rejected alerts. Each is counted, logged and stored, so that operators can find out
//! why an alert did not appear.
//!
//! The middleware [`witness`] wraps the routes that accept alerts and inspects each response.
//! Logging and storing are rate-limited, and a background task does the storing. In a flood of bad
//! requests, most are only counted.

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
