//! What accepts alerts: from a body to a session that is committed together with its chain job.
//!
//! The crate knows no requests, callers or responses: `ingest-api` reads the body, checks who sends it and answers. It shares
//! nothing with what reads sessions but the store.

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
