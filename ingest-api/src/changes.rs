//! What changed in the systems that alerts come from: lists of changes, and those near a session's alert.

pub(crate) mod handlers;
