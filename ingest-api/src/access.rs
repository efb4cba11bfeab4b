//! Who asks, and what they may do.

mod actor;

pub(crate) use actor::Actor;
