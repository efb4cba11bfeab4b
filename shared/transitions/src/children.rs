//! Child sessions: dispatched under a claim, waited for without one, cancelled with their parent.

mod cancel;
mod children_ended;
mod dispatch;
mod wait_for_children;

pub use cancel::{cancel_child, cancel_children, cancel_with_children};
pub use children_ended::resume_parents;
pub use dispatch::{Dispatch, Dispatched, dispatch};
pub use wait_for_children::wait_for_children;
