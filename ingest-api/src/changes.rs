//! Changes to the systems that alerts come from: all of them, and those near the alert of a session.

pub(crate) mod handlers;
