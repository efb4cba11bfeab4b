//! An alert on its way in: from bytes to a session that can be stored.
//!
//! Pure: nothing here does I/O or reads a clock.

mod canonical;
pub(crate) mod dry_run;
mod envelope;
pub(crate) mod handlers;
pub(crate) mod intake;
pub(crate) mod load_shedder;
pub(crate) mod progress;
pub(crate) mod rejected;
pub(crate) mod runbook_check;
mod session;
pub(crate) mod submission;

pub(crate) use canonical::Bounds;
pub(crate) use envelope::{Envelope, MAX_RUNBOOK, MAX_SEVERITY, Unreadable, is_address};
pub(crate) use session::{Origin, Parts, check_storable, new_session};
