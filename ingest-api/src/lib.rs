//! The HTTP service: alerts in, sessions and history out.
//!
//! An alert is answered with 202 only after `tarsy-intake` has committed its session and chain job
//! in one transaction. Handlers parse, call and answer; every statement is in `tarsy-store` or
//! `tarsy-queue`. The routes are in `server/router.rs`, on one screen.

mod access;
mod alerts;
mod approvals;
mod changes;
mod fleet;
mod incidents;
mod keys;
mod knowledge;
mod live;
mod notifications;
mod problem;
mod quality;
mod questions;
mod server;
mod sessions;
mod slack;
mod usage;
mod webhooks;

pub use access::NewKey;
pub use problem::{AuthError, Code, ConflictError, Problem};
pub use server::app::{App, Config, Error};
pub use server::catalog::Catalog;
pub use server::program::run_process;
