//! JSON Schema of the configuration file, for completion and checks in editors, and its reference page.

mod reference;

use schemars::Schema;
use schemars::generate::SchemaSettings;

pub use self::reference::reference;
use crate::document::DocumentFields;

/// Returns the JSON Schema (draft 7, which editors support best) of the configuration file, as indented text.
///
/// It accepts every file that [`crate::Config::load`] accepts. References between entries, and keys that depend on each
/// other, are checked only by the loader.
#[must_use]
pub fn json_schema() -> String {
    format!("{:#}\n", schema().as_value())
}

fn schema() -> Schema {
    SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<DocumentFields>()
}
