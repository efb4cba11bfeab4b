//! Approvals and other waits: their display, who may decide them, and what follows from a decision.

pub(crate) mod contexts;
pub(crate) mod decide;
pub(crate) mod foresee;
pub(crate) mod handlers;
pub(crate) mod wait;
pub(crate) mod waits;
