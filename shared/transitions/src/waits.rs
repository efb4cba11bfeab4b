//! Waits: opened under a claim, decided once.

mod decide;
mod gate;
mod notices;
mod open_gates;
mod open_tool_call;

pub use decide::{Decided, Decider, Verdict, decide_wait};
pub use gate::Gate;
pub use notices::decision_notices;
pub use open_gates::open_gates;
pub use open_tool_call::{AskedCall, open_tool_call};
