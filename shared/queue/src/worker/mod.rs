//! Workers, which claim jobs and run handlers.

mod advertised;
mod backend;
mod builder;
mod claim_cursor;
mod claim_loop;
mod health;
mod in_flight;
mod isolation;
mod job;
mod lease;
mod lease_times;
mod preclaim;
mod run;
mod service;
mod settlement;
mod shared;
mod stop;

use tarsy_postgres::Primary;

use crate::Connections;
use service::AnyHandler;

pub use advertised::Advertised;
pub(crate) use builder::Settings;
pub use builder::WorkerBuilder;
pub use job::{BoxError, Handler, Job, Outcome};
pub use preclaim::{ContinueWith, Preclaim, PreclaimedJob};
pub use stop::{StopCause, StopSignal};

/// A worker, ready to run.
#[derive(Debug)]
pub struct Worker {
    config: WorkerBuilder,
    direct: Primary,
    handler: AnyHandler,
}

impl Worker {
    /// Starts the configuration of a worker.
    ///
    /// `connections` serve settlements, and show whether writes of jobs succeed. They may go through PgBouncer in
    /// transaction mode. `direct_url` must reach Postgres itself: a worker keeps two sessions there, one for claims
    /// and one for its lease, lock and LISTEN.
    #[must_use]
    pub fn builder(connections: impl Into<Connections>, direct_url: &str) -> WorkerBuilder {
        WorkerBuilder::new(connections.into(), direct_url)
    }
}
