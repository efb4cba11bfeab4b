//! Chains go on: their sessions are read, and what is due is started.

mod load;
mod plan_stage;
mod start;
mod start_stages;

pub use load::{Loaded, Loader};
pub use plan_stage::plan_stage;
pub use start::{Started, Starter};
pub use start_stages::{NewAttempt, PreclaimLease, Start};
