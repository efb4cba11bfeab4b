//! Waits: opened under a claim, decided once.

mod ask_person;
mod decide;
mod gate;
mod notices;
mod open_gates;
pub(crate) mod suspend;

pub use ask_person::{About, PersonQuestion, ask_person};
pub use decide::{Decided, Decider, Verdict, decide_wait};
pub use gate::Gate;
pub use notices::decision_notices;
pub use open_gates::open_gates;
