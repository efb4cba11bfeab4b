//! Our binaries as real processes: started, frozen, killed.

mod program;
mod running;

pub use program::{BINARIES, Program, binary};
pub use running::Process;
