//! What is masked in a server's answers.

use serde::Serialize;

use crate::fields::Fields;

/// The `data_masking` section of an MCP server, validated against the known patterns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MaskingConfig {
    /// Default true; off means that this server's answers reach the model as they are.
    pub enabled: bool,
    /// Groups of patterns, e.g. `kubernetes`. Default `basic`, `secrets` and `security`
    /// through [`MaskingConfig::default`].
    pub pattern_groups: Vec<String>,
    /// Single patterns, e.g. `certificate`.
    pub patterns: Vec<String>,
    /// Patterns of the operator's own.
    pub custom_patterns: Vec<CustomPattern>,
}

/// A pattern of the operator's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CustomPattern {
    /// Unique within the server; names the replacement unless one is given.
    pub name: String,
    /// Regular expression, in the syntax of the `regex` crate.
    pub pattern: String,
    /// What is written instead; `None`: `[MASKED_<NAME>]`.
    pub replacement: Option<String>,
    /// For people.
    pub description: Option<String>,
    /// Default true.
    pub enabled: bool,
}

impl Default for MaskingConfig {
    /// A server that says nothing about masking is masked with the group `security`.
    fn default() -> Self {
        Self {
            enabled: true,
            pattern_groups: vec!["security".to_owned()],
            patterns: Vec::new(),
            custom_patterns: Vec::new(),
        }
    }
}

impl MaskingConfig {
    pub(crate) fn read(fields: &Fields<'_>) -> Self {
        let enabled = fields.bool("enabled").unwrap_or(true);
        let groups = fields.texts("pattern_groups").unwrap_or_default();
        let patterns = fields.texts("patterns").unwrap_or_default();
        let custom_patterns: Vec<CustomPattern> = fields
            .list_of_sections("custom_patterns", "custom pattern")
            .iter()
            .filter_map(CustomPattern::read)
            .collect();
        fields.finish();
        let names = |texts: &[crate::fields::Text]| {
            texts.iter().map(|text| text.value().to_owned()).collect()
        };
        Self {
            enabled,
            pattern_groups: names(&groups),
            patterns: names(&patterns),
            custom_patterns,
        }
    }
}

impl CustomPattern {
    fn read(fields: &Fields<'_>) -> Option<Self> {
        let name = fields.required("name", "it names the pattern in audit rows");
        let pattern = fields.verbatim("pattern");
        let replacement = fields.verbatim("replacement");
        let description = fields.verbatim("description");
        let enabled = fields.bool("enabled").unwrap_or(true);
        fields.finish();
        if !fields.has("pattern") {
            fields.problem_here(
                "`pattern` is missing".to_owned(),
                "write a regular expression",
            );
        }
        Some(Self {
            name: name?,
            pattern: pattern?,
            replacement,
            description,
            enabled,
        })
    }
}
