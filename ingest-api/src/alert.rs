//! An alert on its way in: from bytes to a session that can be stored.
//!
//! Pure: nothing here does I/O or reads a clock.

mod canonical;
mod envelope;
mod session;

pub(crate) use canonical::Bounds;
pub(crate) use envelope::{Envelope, MAX_RUNBOOK, MAX_SEVERITY, Unreadable, is_address};
pub(crate) use session::{Origin, Parts, check_storable, new_session};
