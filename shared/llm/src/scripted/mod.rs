//! A provider that plays a YAML script instead of calling a model.
//!
//! Used by tests and by the demo without an API key. It is called `scripted` everywhere. A reply depends only on the
//! conversation, never on the state of the process. So a stage that is resumed in another process gets the same
//! answers.

mod model;
mod rule;
mod script;

pub use model::ScriptedModel;
pub use script::{Script, ScriptError};
