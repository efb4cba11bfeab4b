//! Thought, Action, Observation as text: reading what models really write.
//!
//! Two rules decide every mixed reply. An action with an input wins over a final answer in
//! the same reply, because the model concluded before it saw the result. Of several actions
//! the first one is made, because the later ones were written without its observation.

mod blob;
mod correction;
mod header;
mod input;
mod reply;
mod scan;
mod schema;

pub(crate) use correction::HOW;
pub use correction::correction;
pub use input::{BadInput, parse_input};
pub use reply::{Problem, Reply, parse_reply};
