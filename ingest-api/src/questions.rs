//! Questions about a session, and their answers.

pub(crate) mod conversation;
pub(crate) mod handlers;
pub(crate) mod turns;
