//! The HTTP service: accepts alerts and serves sessions and their history.
//!
//! An alert gets a 202 response only after `tarsy-intake` has committed its session and chain job
//! in one transaction. Handlers parse the request, call the crates below and build the response.
//! Every SQL statement is in `tarsy-store` or `tarsy-queue`. All routes are listed in
//! `server/router.rs`.

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
