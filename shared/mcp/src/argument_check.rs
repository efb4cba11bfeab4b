//! Checks the arguments of calls against the schemas of their tools.

use serde_json::Value;

use crate::compat;

const SHOWN_PROBLEMS: usize = 8;
const SHOWN_BYTES: usize = 300;
/// Largest schema that arguments are checked against, in bytes.
const MOST_SCHEMA_BYTES: usize = 256 * 1024;
/// Most memory of one compiled pattern of a schema, in bytes.
pub(crate) const MOST_PATTERN_BYTES: usize = 256 * 1024;

/// Compiles a schema for checking arguments. Leaves out parts that can't be compiled. If that is not enough, the result
/// accepts any object.
///
/// # Errors
///
/// The reason why nothing could be compiled.
pub(crate) fn compile(schema: &Value) -> Result<jsonschema::Validator, String> {
    let is_bounded = schema.to_string().len() <= MOST_SCHEMA_BYTES;
    // Arguments are always an object, even if the schema states another type.
    let takes_objects = schema.get("type").is_none_or(|words| words == "object");
    let reason = match is_bounded.then(|| build(schema)) {
        Some(Ok(_)) if !takes_objects => "its type is not `object`".to_owned(),
        Some(Ok(validator)) => return Ok(validator),
        Some(Err(reason)) => reason,
        None => format!("it is longer than {MOST_SCHEMA_BYTES} bytes"),
    };
    tracing::warn!(
        reason,
        "the schema of a tool is used without the part that can't be compiled"
    );
    let cleaned = is_bounded.then(|| build(&compat::without_faults(schema)));
    match cleaned {
        Some(Ok(validator)) => Ok(validator),
        _ => build(&serde_json::json!({"type": "object"})),
    }
}

fn build(schema: &Value) -> Result<jsonschema::Validator, String> {
    // Allow only patterns that run in linear time, because the server wrote the schema.
    let patterns = jsonschema::PatternOptions::regex()
        .size_limit(MOST_PATTERN_BYTES)
        .dfa_size_limit(MOST_PATTERN_BYTES);
    jsonschema::options()
        .with_pattern_options(patterns)
        .build(schema)
        .map_err(|error| error.to_string())
}

/// Returns the problems of the arguments, each with its place. `redacted` masks their texts.
pub(crate) fn problems(
    validator: &jsonschema::Validator,
    arguments: &Value,
    redacted: impl Fn(&str) -> String,
) -> Vec<String> {
    let shown = |error: jsonschema::ValidationError<'_>| {
        let place = error.instance_path().to_string();
        let text = match place.is_empty() {
            true => error.to_string(),
            false => format!("{place}: {error}"),
        };
        let mut text = redacted(&text);
        text.truncate(text.floor_char_boundary(SHOWN_BYTES));
        text
    };
    let errors = validator.iter_errors(arguments);
    errors.take(SHOWN_PROBLEMS).map(shown).collect()
}
