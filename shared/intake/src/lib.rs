//! Accepts alerts: turns a body into a session and commits it together with its chain job.
//!
//! The crate knows no requests, callers or responses. `ingest-api` reads the body, authenticates
//! the sender and responds. The crate shares only the store with the code that reads sessions.

mod canonical;
mod chains;
mod envelope;
mod error;
mod intake;
mod load_shedder;
mod session;
mod submission;
pub mod webhooks;

pub use canonical::Bounds;
pub use chains::{Chain, Chains};
pub use envelope::{MAX_RUNBOOK, is_address};
pub use error::{Error, FieldError};
pub use intake::Intake;
pub use load_shedder::LoadShedder;
pub use submission::{Sender, session_for_alert};
