//! JSON Schema of the configuration file, for completion and checks in editors.
//!
//! The types of this module describe the file as it is written. They are never built: the readers next to this module
//! read the file, because they report every mistake with its position. Words and bounds stand once, with their reader.
//! `tests/schema.rs` checks that both accept the same keys.
#![expect(dead_code, reason = "the types exist for their schema alone")]

mod agents;
mod document;
mod knowledge;
mod providers;
mod runbooks;
pub(crate) mod scalars;
mod servers;
mod webhooks;

use schemars::generate::SchemaSettings;

/// Returns the JSON Schema (draft 7, which editors support best) of the configuration file, as indented text.
///
/// It accepts every file that [`crate::Config::load`] accepts. References between entries, and keys that depend on each
/// other, are checked only by the loader.
#[must_use]
pub fn json_schema() -> String {
    let schema = SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<document::Document>();
    format!("{:#}\n", schema.as_value())
}
