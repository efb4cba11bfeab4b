//! Chain workers decide the next step of a session from its rows, fetch its runbook, start its stages and end it. See
//! `docs/ARCHITECTURE.md`.

mod advance;
mod assemble;
mod error;
mod handler;
mod housekeeping;
mod notify;
mod program;
mod runbooks;
mod service;
mod setup;

pub use advance::{CHAIN_JOB, STAGE_JOB};
pub use assemble::{AssembleError, service};
pub use error::Error;
pub use housekeeping::{RetentionPolicy, fail_unschedulable, prune, repair};
pub use notify::{Notifier, Recipients, SlackTarget, Target, WEBHOOK_QUEUE, delivery_job, targets};
pub use program::run_process;
pub use runbooks::Runbooks;
pub use service::ChainService;
pub use setup::ChainSetup;
