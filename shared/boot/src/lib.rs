//! How every process of the fleet starts and stops: environment, configuration, logs,
//! connections, signals.

mod allocator;
mod database;
mod error;
mod process;
mod runtime;
mod signals;

pub use database::{connect, direct_url};
pub use error::Error;
pub use process::Process;
pub use runtime::{runtime, worker_runtime};
pub use signals::Signals;
