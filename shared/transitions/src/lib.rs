//! Statements that write domain rows and jobs together and that several services make.
//!
//! | module | transition |
//! |---|---|
//! | `open_gates` | stages of kind `wait` become due |
//! | `open_tool_call` | an agent asks for the approval of a tool call |
//! | `decide` | a wait is decided |
//! | `gate` | what a gate asks |
//! | `dispatch` | an agent dispatches a child session |
//! | `wait_for_children` | a stage waits for its child sessions |
//! | `children_ended` | the stage goes on once they have ended |
//! | `cancel` | a session is cancelled, and its children with it |
//!
//! Each is one statement, so a transaction of its own. Those of a single service are in that service
//! (docs/decisions/0005-one-statement-a-transition.md).

mod children;
mod waits;

pub use children::{
    Dispatch, Dispatched, cancel_child, cancel_children, cancel_with_children, dispatch,
    resume_parents, wait_for_children,
};

pub use waits::{
    AskedCall, Decided, Decider, Gate, Verdict, decide_wait, decision_notices, open_gates,
    open_tool_call,
};
