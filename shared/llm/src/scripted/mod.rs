//! A provider that plays a YAML script instead of calling a model.
//!
//! For the demonstration without a key and for tests; it is named `scripted` wherever it shows.
//! A reply depends on the conversation alone, never on the state of the process, so a stage
//! that is resumed elsewhere gets the same answers.

mod model;
mod rule;
mod script;

pub use model::ScriptedModel;
pub use script::{Script, ScriptError};
