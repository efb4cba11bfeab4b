//! The HTTP service: alerts in, sessions and history out.
//!
//! An alert is answered with 202 only after its session and chain job are committed in one
//! transaction; concurrent requests share such transactions ([`Intake`]). Handlers parse,
//! call and answer; every statement is in `tarsy-store` or `tarsy-queue`. The routes are in
//! `router.rs`, on one screen.

mod access;
mod admin;
mod alert;
mod app;
mod body;
mod caller;
mod catalog;
mod clock;
mod conversation;
mod deadline;
mod docs;
mod handlers;
mod health;
mod history;
mod intake;
mod knowledge;
mod live;
mod load_shedder;
mod metrics;
mod problem;
mod program;
mod progress;
mod rejected;
mod router;
mod runbook_check;
mod screens;
mod serve;
mod slack;
mod state;
mod submission;
mod tracing_layer;
mod usage;
mod webhook;

pub use access::NewKey;
pub use app::{App, Config, Error};
pub use catalog::{Catalog, Chain};
pub use intake::Intake;
pub use load_shedder::LoadShedder;
pub use problem::{AuthError, Code, ConflictError, FieldError, Problem};
pub use program::run_process;
pub use submission::{Sender, session_for_alert};
