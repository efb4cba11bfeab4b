//! Masking sections.

use tarsy_masking::{CustomPattern, Masker, MaskingConfig, group_names, pattern_names};

use crate::fields::{Fields, Flag, Required, Text, Texts, Verbatim, section};

section! {
    /// Masking of secrets.
    struct MaskingFields("Masking") {
        /// Whether masking is on. Default: true.
        enabled: Flag,
        /// Groups of patterns, e.g. `security`.
        pattern_groups: Texts,
        /// Individual patterns, e.g. `certificate`.
        patterns: Texts,
        /// Custom patterns.
        custom_patterns: Vec<CustomPatternFields>,
    }
}

section! {
    /// A custom pattern.
    struct CustomPatternFields("CustomPattern", "custom pattern") {
        /// Name of the pattern in reports and metrics.
        name: Required<Text>,
        /// Regular expression.
        pattern: Required<Verbatim>,
        /// Text that replaces a match. Default: a placeholder with the pattern's name.
        replacement: Verbatim,
        /// Description, for people only.
        description: Verbatim,
        /// Whether the pattern applies. Default: true.
        enabled: Flag,
    }
}

/// Reads a masking section, or the keys of one in a policy. Patterns that don't compile are reported at their position.
pub(crate) fn read(fields: &Fields<'_>, keys: MaskingFields) -> MaskingConfig {
    let sections = fields.get(keys.custom_patterns).unwrap_or_default();
    let all: Vec<Option<CustomPattern>> = sections.iter().map(read_custom_pattern).collect();
    let complete = all.iter().all(Option::is_some);
    let config = MaskingConfig {
        enabled: fields.get(keys.enabled).unwrap_or(true),
        pattern_groups: fields.strings(keys.pattern_groups).unwrap_or_default(),
        patterns: fields.strings(keys.patterns).unwrap_or_default(),
        custom_patterns: all.into_iter().flatten().collect(),
    };
    // If a pattern was left out, the paths of the others would be off by one. The missing part has already been
    // reported.
    if complete
        && !is_built_in(&config)
        && let Err(problems) = Masker::new(&config)
    {
        for problem in problems {
            let message = format!("`{}`: {}", problem.path, problem.message);
            fields.context().report(
                fields.position_of(&problem.path),
                message,
                Some(problem.hint),
            );
        }
    }
    config
}

/// Whether it names only built-in groups and patterns. A masker can always be built from these.
fn is_built_in(config: &MaskingConfig) -> bool {
    let is_known =
        |names: &[String], known: &[&str]| names.iter().all(|name| known.contains(&name.as_str()));
    config.custom_patterns.is_empty()
        && is_known(&config.pattern_groups, &group_names())
        && is_known(&config.patterns, &pattern_names())
}

fn read_custom_pattern(fields: &Fields<'_>) -> Option<CustomPattern> {
    let keys = CustomPatternFields::FIELDS;
    let name = fields.require(keys.name, "it is the kind that is reported and counted");
    let pattern = fields.require(keys.pattern, "write a regular expression");
    let replacement = fields.get(keys.replacement).unwrap_or_default();
    let description = fields.get(keys.description).unwrap_or_default();
    let enabled = fields.get(keys.enabled).unwrap_or(true);
    Some(CustomPattern {
        name: name?.into_string(),
        pattern: pattern?,
        replacement,
        description,
        enabled,
    })
}
