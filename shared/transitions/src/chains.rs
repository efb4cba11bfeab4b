//! Advances chains: reads their sessions and starts the stages that are due.

mod load;
mod plan_stage;
mod start;
mod start_stages;

pub use load::{Loaded, Loader};
pub use plan_stage::plan_stage;
pub use start::{Started, Starter};
pub use start_stages::{NewAttempt, PreclaimLease, Start};
