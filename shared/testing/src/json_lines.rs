//! Files of JSON lines, as programs under test write them.

use std::path::Path;

use serde_json::Value;

/// Reads a file of JSON lines.
///
/// # Panics
///
/// When the file is missing, or a line of it is not JSON.
#[must_use]
pub fn json_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("a file of JSON lines");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}
