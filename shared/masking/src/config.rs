//! What an operator writes under `data_masking`, and what can be wrong with it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The `data_masking` section of an MCP server or of the alert settings.
///
/// Groups, patterns and custom patterns add up; the order does not matter. When neither a group nor a
/// pattern nor a custom pattern is named, [`crate::DEFAULT_GROUP`] applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MaskingConfig {
    /// `false` lets every text through untouched. Default: `true`.
    pub enabled: bool,
    /// Names of built-in groups, see [`crate::group_names`]. Default: none.
    pub pattern_groups: Vec<String>,
    /// Names of built-in patterns, see [`crate::pattern_names`]. Default: none.
    pub patterns: Vec<String>,
    /// Regular expressions of the operator's own, at most [`crate::MAX_CUSTOM_PATTERNS`]. Default: none.
    pub custom_patterns: Vec<CustomPattern>,
}

impl Default for MaskingConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            pattern_groups: Vec::new(),
            patterns: Vec::new(),
            custom_patterns: Vec::new(),
        }
    }
}

/// One regular expression of the operator's own; every match is replaced as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomPattern {
    /// Unique name, letters, digits, `_` and `-`; it is the kind that is reported and counted.
    pub name: String,
    /// The expression, in the syntax of the `regex` crate (no look-around, no back-references), multi-line,
    /// at most [`crate::MAX_CUSTOM_PATTERN_BYTES`] long.
    pub pattern: String,
    /// What replaces a match, literally. Default: `[MASKED_<NAME>]`.
    #[serde(default)]
    pub replacement: String,
    /// What the pattern is for; not used by the code. Default: empty.
    #[serde(default)]
    pub description: String,
    /// `false` keeps the pattern in the file but out of use; it is validated all the same. Default: `true`.
    #[serde(default = "enabled")]
    pub enabled: bool,
}

const fn enabled() -> bool {
    true
}

/// One thing wrong with a [`MaskingConfig`]; a config with problems makes no masker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// Where, relative to the section: `pattern_groups[0]`, `custom_patterns[2].pattern`.
    pub path: String,
    /// What is wrong, and of which named thing.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.path, self.message, self.hint)
    }
}
