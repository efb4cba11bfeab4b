//! Stage executions, begun and ended under a claim.

mod begin;
mod deadline;
mod previous;
mod start;

pub use begin::{BeginStage, BegunStage, begin_stages};
pub use deadline::{delay_deadline, extend_deadline, unset_deadline};
pub use start::{NewStage, start_stages};
