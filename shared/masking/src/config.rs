//! The `data_masking` section as an operator writes it, and its problems.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The `data_masking` section of an MCP server or of the alert settings.
///
/// Groups, patterns and custom patterns add up; their order does not matter. If none of them is set,
/// [`crate::DEFAULT_GROUP`] applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MaskingConfig {
    /// `false` leaves every text unmasked. Default: `true`.
    pub enabled: bool,
    /// Names of built-in groups (see [`crate::group_names`]). Default: none.
    pub pattern_groups: Vec<String>,
    /// Names of built-in patterns (see [`crate::pattern_names`]). Default: none.
    pub patterns: Vec<String>,
    /// The operator's own regular expressions, at most [`crate::MAX_CUSTOM_PATTERNS`]. Default: none.
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

/// A regular expression of the operator. Each match is replaced as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomPattern {
    /// Unique name of letters, digits, `_` and `-`. It is the kind that is reported and counted.
    pub name: String,
    /// The expression, in the syntax of the `regex` crate (no look-around, no back-references). Multi-line mode is on.
    /// At most [`crate::MAX_CUSTOM_PATTERN_BYTES`] long.
    pub pattern: String,
    /// Literal replacement for a match. Default: `[MASKED_<NAME>]`.
    #[serde(default)]
    pub replacement: String,
    /// Purpose of the pattern; not used by the code. Default: empty.
    #[serde(default)]
    pub description: String,
    /// `false` disables the pattern but keeps it in the file. It is validated anyway. Default: `true`.
    #[serde(default = "enabled")]
    pub enabled: bool,
}

const fn enabled() -> bool {
    true
}

/// One problem of a [`MaskingConfig`]. No masker is made from a configuration with problems.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// Position, relative to the section: `pattern_groups[0]`, `custom_patterns[2].pattern`.
    pub path: String,
    /// Description of the problem, with the name that it concerns.
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.path, self.message, self.hint)
    }
}
