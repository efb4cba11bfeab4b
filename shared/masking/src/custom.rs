//! The operator's own patterns: limits, validation and matching.

use regex::{Regex, RegexBuilder};

use crate::config::{CustomPattern, Problem};
use crate::kind::Kind;
use crate::pattern::Pattern;
use crate::span::Label;

/// Most custom patterns in one section.
pub const MAX_CUSTOM_PATTERNS: usize = 100;
/// Longest expression of a custom pattern, in bytes.
pub const MAX_CUSTOM_PATTERN_BYTES: usize = 1024;
/// Most memory of a compiled expression, in bytes.
const COMPILED_BYTES: usize = 1 << 20;
/// Most memory of an expression's lazy automaton while matching, in bytes.
const CACHE_BYTES: usize = 1 << 20;

/// A validated custom pattern.
#[derive(Debug, Clone)]
pub(crate) struct Custom {
    pub(crate) kind: Kind,
    pub(crate) replacement: String,
    regex: Regex,
}

impl Custom {
    /// Calls `claim` with every match in `text`. Takes linear time for any expression.
    pub(crate) fn find(
        &self,
        index: usize,
        text: &str,
        mut claim: impl FnMut(usize, usize, Label),
    ) {
        for found in self.regex.find_iter(text) {
            if !found.is_empty() {
                claim(found.start(), found.end(), Label::Custom(index));
            }
        }
    }
}

/// Compiles the enabled patterns. Reports the problems of all patterns.
pub(crate) fn compile(patterns: &[CustomPattern], problems: &mut Vec<Problem>) -> Vec<Custom> {
    if patterns.len() > MAX_CUSTOM_PATTERNS {
        problems.push(Problem {
            path: "custom_patterns".into(),
            message: format!("{} custom patterns", patterns.len()),
            hint: format!("at most {MAX_CUSTOM_PATTERNS} are allowed; join some with `|`"),
        });
        return Vec::new();
    }
    let mut compiled = Vec::new();
    for (index, pattern) in patterns.iter().enumerate() {
        let before = problems.len();
        let mut report = |field: &str, message: String, hint: &str| {
            problems.push(Problem {
                path: format!("custom_patterns[{index}].{field}"),
                message,
                hint: hint.into(),
            });
        };
        check_name(pattern, patterns.iter().take(index), &mut report);
        let regex = compile_one(pattern, &mut report);
        if let (Some(custom), true, true) = (regex, pattern.enabled, problems.len() == before) {
            compiled.push(custom);
        }
    }
    compiled
}

fn check_name<'a>(
    pattern: &CustomPattern,
    mut earlier: impl Iterator<Item = &'a CustomPattern>,
    report: &mut impl FnMut(&str, String, &str),
) {
    let name = &pattern.name;
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(valid) {
        report(
            "name",
            format!("`{}` is not a name", name.escape_debug()),
            "1 to 64 letters, digits, `_`, `-`",
        );
    } else if Pattern::named(name).is_some() {
        report(
            "name",
            format!("`{name}` is a built-in pattern"),
            "choose another name",
        );
    } else if earlier.any(|other| other.name == *name) {
        report(
            "name",
            format!("`{name}` is there twice"),
            "names are unique within a section",
        );
    }
}

fn compile_one(
    pattern: &CustomPattern,
    report: &mut impl FnMut(&str, String, &str),
) -> Option<Custom> {
    let name = &pattern.name;
    if pattern.pattern.len() > MAX_CUSTOM_PATTERN_BYTES {
        let length = pattern.pattern.len();
        report(
            "pattern",
            format!("`{name}` is {length} bytes long"),
            "at most 1024 bytes are allowed",
        );
        return None;
    }
    let built = RegexBuilder::new(&pattern.pattern)
        .multi_line(true)
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(CACHE_BYTES)
        .build();
    let regex = match built {
        Ok(regex) => regex,
        Err(regex::Error::CompiledTooBig(_)) => {
            report(
                "pattern",
                format!("`{name}` compiles to more than 1 MiB"),
                "use smaller repetitions",
            );
            return None;
        }
        Err(error) => {
            let reason = error.to_string();
            let reason = reason
                .lines()
                .last()
                .unwrap_or_default()
                .trim_start_matches("error: ");
            report(
                "pattern",
                format!("`{name}` is not a regular expression: {reason}"),
                "look-around and back-references are not supported",
            );
            return None;
        }
    };
    if regex.is_match("") {
        report(
            "pattern",
            format!("`{name}` matches the empty text"),
            "use `+` in place of `*`",
        );
        return None;
    }
    let kind = Kind::custom(name);
    let replacement = match pattern.replacement.as_str() {
        "" => kind.marker(),
        given => given.to_owned(),
    };
    if !pattern.replacement.is_empty() && regex.is_match(&replacement) {
        report(
            "replacement",
            format!("the replacement of `{name}` is matched by its own pattern"),
            "masking twice must give what masking once gives",
        );
        return None;
    }
    Some(Custom {
        kind,
        replacement,
        regex,
    })
}
