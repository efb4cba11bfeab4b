//! Parses Thought, Action and Observation written as text, in the forms that models really produce.
//!
//! Two rules decide every mixed reply. An action with an input wins over a final answer in the same reply, because
//! the model concluded before it saw the result. Of several actions only the first is made, because the model wrote
//! the later ones without its observation.

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
