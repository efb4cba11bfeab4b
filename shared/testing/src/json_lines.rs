//! Reads files of JSON lines that programs under test write.

use std::path::Path;

use serde_json::Value;

/// Reads a file of JSON lines.
///
/// # Panics
///
/// When the file cannot be read, or one of its lines is not JSON.
#[must_use]
pub fn json_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("a file of JSON lines");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}
