//! Stage workers: they claim stage jobs of their pools, run the agent, record what it does
//! as it does it, and hand the chain back. See `docs/ARCHITECTURE.md`.

mod begin;
mod error;
mod finish;
mod handler;
mod model;
mod recorder;
mod runner;
mod service;
mod tools;

pub use error::Error;
pub use finish::CHAIN_JOB;
pub use handler::MAX_CRASHES;
pub use runner::{BoxError, StageEnd, StageRunner};
pub use service::StageService;
