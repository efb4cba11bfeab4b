//! Statements that write domain rows and jobs together and that several services make.
//!
//! | module | transition |
//! |---|---|
//! | `open_gates` | stages of kind `wait` become due |
//! | `open_tool_call` | an agent asks for the approval of a tool call |
//! | `decide` | a wait is decided |
//! | `gate` | what a gate asks |
//!
//! Each is one statement, so a transaction of its own. Those of a single service are in that service
//! (docs/decisions/0005-one-statement-a-transition.md).

mod waits;

pub use waits::{
    AskedCall, Decided, Decider, Gate, Verdict, decide_wait, open_gates, open_tool_call,
};
