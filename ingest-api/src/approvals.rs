//! Approvals and other waits: what waits, who may decide, and what follows.

pub(crate) mod contexts;
pub(crate) mod decide;
pub(crate) mod foresee;
pub(crate) mod handlers;
pub(crate) mod wait;
pub(crate) mod waits;
