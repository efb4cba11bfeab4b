//! Starts, freezes and kills the workspace's binaries as real processes.

mod program;
mod running;

pub use program::{BINARIES, Program, binary};
pub use running::Process;
