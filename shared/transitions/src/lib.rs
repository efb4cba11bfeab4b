//! Statements that write domain rows and jobs together and that several services make.
//!
//! | module | transition |
//! |---|---|
//! | `start_stages` | stages become due, and their workers may hold their jobs at once |
//! | `open_gates` | stages of kind `wait` become due |
//! | `ask_person` | a running stage waits for a person: about a tool call, or about spending |
//! | `decide` | a wait is decided |
//! | `gate` | what a gate asks |
//! | `dispatch` | an agent dispatches a child session |
//! | `wait_for_children` | a stage waits for its child sessions |
//! | `children_ended` | the stage goes on once they have ended |
//! | `cancel` | a session is cancelled, and its children with it |
//!
//! Each is one statement, so a transaction of its own. Those of a single service are in that service
//! (docs/decisions/0005-one-statement-a-transition.md). A statement that fails is [`tarsy_store::Error::Database`]; a function
//! that fails in another way as well says so under *Errors*.

mod chains;
mod children;
mod waits;

pub use chains::{Loaded, Loader, NewAttempt, PreclaimLease, Start, Started, Starter, plan_stage};

pub use children::{
    Dispatch, Dispatched, cancel_child, cancel_children, cancel_with_children, dispatch,
    resume_parents, wait_for_children,
};

pub use waits::{
    About, Asked, Decided, Decider, Gate, Verdict, ask_person, decide_wait, decision_notices,
    open_gates,
};
