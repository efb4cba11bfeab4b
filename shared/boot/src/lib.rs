//! Start and stop of every process of the fleet: environment, configuration, logs, connections, signals.

mod allocator;
mod database;
mod error;
mod file_limit;
mod file_watch;
mod inspection;
mod log_filter;
mod ops;
mod process;
mod readiness;
mod reload;
mod runtime;
mod signals;

pub use database::{connect, direct_url, primary, replica};
pub use error::Error;
pub use inspection::deny_inspection;
pub use ops::{CHAIN_WORKER_PORT, STAGE_WORKER_PORT, UP_PORT};
pub use process::Process;
pub use readiness::{Readiness, Ready};
pub use reload::{Apply, BoxError};
pub use runtime::{runtime, worker_runtime};
pub use signals::Signals;
