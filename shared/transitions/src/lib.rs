//! Statements that write domain rows and jobs together and are used by several services.
//!
//! | module | transition |
//! |---|---|
//! | `start_stages` | stages become due; their jobs may be preclaimed |
//! | `open_gates` | stages of kind `wait` become due |
//! | `ask_person` | a running stage waits for a person: about a tool call, or about spending |
//! | `decide` | a wait is decided |
//! | `gate` | the question of a gate |
//! | `dispatch` | an agent dispatches a child session |
//! | `wait_for_children` | a stage waits for its child sessions |
//! | `children_ended` | the stage continues once they have ended |
//! | `cancel` | a session is cancelled together with its children |
//!
//! Except in `cancel` and `children_ended`, each transition is one statement and so needs no other transaction.
//! Statements of a single service are in that service (docs/decisions/0005-one-statement-a-transition.md). A failed
//! statement is reported as [`tarsy_store::Error::Database`]. A function that can also fail in other ways lists them
//! under *Errors*.

mod chains;
mod children;
mod waits;

pub use chains::{Loaded, Loader, NewAttempt, PreclaimLease, Start, Started, Starter, plan_stage};

pub use children::{
    Dispatch, Dispatched, cancel_child, cancel_children, cancel_with_children, dispatch,
    resume_parents, wait_for_children,
};

pub use waits::{
    About, Decided, Decider, Gate, PersonQuestion, Verdict, ask_person, decide_wait,
    decision_notices, open_gates,
};
