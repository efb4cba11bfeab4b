//! Masking sections.

use tarsy_masking::{CustomPattern, Masker, MaskingConfig, group_names, pattern_names};

use crate::fields::{Fields, Text};

/// Reads a masking section. Patterns that don't compile are reported at their position.
pub(crate) fn read(fields: &Fields<'_>) -> MaskingConfig {
    let names = |texts: Vec<Text>| texts.iter().map(|text| text.value().to_owned()).collect();
    let sections = fields.list_of_sections("custom_patterns", "custom pattern");
    let all: Vec<Option<CustomPattern>> = sections.iter().map(read_custom_pattern).collect();
    let complete = all.iter().all(Option::is_some);
    let config = MaskingConfig {
        enabled: fields.bool("enabled").unwrap_or(true),
        pattern_groups: names(fields.texts("pattern_groups").unwrap_or_default()),
        patterns: names(fields.texts("patterns").unwrap_or_default()),
        custom_patterns: all.into_iter().flatten().collect(),
    };
    fields.finish();
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
    let name = fields.required("name", "it is the kind that is reported and counted");
    let pattern = fields.verbatim("pattern");
    let replacement = fields.verbatim("replacement").unwrap_or_default();
    let description = fields.verbatim("description").unwrap_or_default();
    let enabled = fields.bool("enabled").unwrap_or(true);
    fields.finish();
    if !fields.has("pattern") {
        fields.problem_here(
            "`pattern` is missing".to_owned(),
            "write a regular expression",
        );
    }
    Some(CustomPattern {
        name: name?,
        pattern: pattern?,
        replacement,
        description,
        enabled,
    })
}
