//! Parses an action input: JSON, YAML, `k: v` lines or plain text.

use serde::de::IgnoredAny;
use serde_json::{Deserializer, Map, Value};

use super::schema;

/// Error for an input that can't be parsed.
#[derive(Debug, thiserror::Error)]
#[error("the Action Input starts like JSON but is not valid: {0}")]
pub struct BadInput(String);

/// Parses the arguments in the text of an `Action Input`. Values keep their types, or are converted to the types in
/// the tool's schema.
///
/// Text in no known form becomes the value of the tool's only (or only required) parameter, or of `input`.
///
/// # Errors
///
/// [`BadInput`] for text that starts like JSON and is neither JSON nor YAML.
pub fn parse_input(text: &str, input_schema: &Value) -> Result<Value, BadInput> {
    let text = unfence(text);
    if text.trim().is_empty() || says_nothing(text.trim()) {
        return Ok(Value::Object(Map::new()));
    }
    let value = read(text, input_schema)?;
    let map = match value {
        Value::Object(map) => map,
        other => Map::from_iter([(schema::only_property(input_schema), other)]),
    };
    Ok(Value::Object(schema::coerce(map, input_schema)))
}

fn read(text: &str, input_schema: &Value) -> Result<Value, BadInput> {
    let trimmed = text.trim();
    if trimmed.starts_with(['{', '[', '"']) {
        return flow(trimmed);
    }
    if let Some(map) = pairs(text, input_schema) {
        return Ok(Value::Object(map));
    }
    if looks_like_mapping(text)
        && let Ok(map @ Value::Object(_)) = serde_saphyr::from_str::<Value>(text)
    {
        return Ok(map);
    }
    Ok(scalar(trimmed))
}

/// Parses JSON, or text close to it: single quotes, bare keys, trailing commas (a YAML flow).
fn flow(text: &str) -> Result<Value, BadInput> {
    let error = match Deserializer::from_str(text).into_iter().next() {
        Some(Ok(value)) => return Ok(value),
        Some(Err(error)) => error.to_string(),
        None => "it is empty".to_owned(),
    };
    match serde_saphyr::from_str::<Value>(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => Ok(value),
        _ => Err(BadInput(error)),
    }
}

/// Parses flat `key: value` or `key=value` pairs, one per line or separated by commas.
fn pairs(text: &str, input_schema: &Value) -> Option<Map<String, Value>> {
    let mut map = Map::new();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        if line.starts_with([' ', '\t']) && !map.is_empty() {
            return None;
        }
        for part in split_pairs(line.trim(), input_schema) {
            let (key, value) = pair(part)?;
            let block = value.is_empty() || value.starts_with(['|', '>', '[', '{', '&', '*', '!']);
            if block || value == "-" {
                return None;
            }
            map.insert(key.to_owned(), scalar(value));
        }
    }
    (!map.is_empty()).then_some(map)
}

/// Splits a line at commas if every piece is a pair; otherwise keeps it whole.
fn split_pairs<'a>(line: &'a str, input_schema: &Value) -> Vec<&'a str> {
    let pieces = split_outside_brackets(line);
    let is_pair =
        |piece: &&str| pair(piece).is_some_and(|(key, _)| schema::may_have(input_schema, key));
    if pieces.iter().all(is_pair) {
        pieces
    } else {
        vec![line]
    }
}

fn split_outside_brackets(line: &str) -> Vec<&str> {
    let (mut pieces, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_i32, None);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth <= 0 => {
                pieces.push(line[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(line[start..].trim());
    pieces.retain(|p| !p.is_empty());
    pieces
}

/// Returns key and value of one pair. The separator is the first `=`, or `:` before a space, a quote or the end.
fn pair(text: &str) -> Option<(&str, &str)> {
    let at = text.char_indices().find_map(|(at, c)| {
        let after = &text[at + c.len_utf8()..];
        let separates =
            c == '=' || (c == ':' && (after.is_empty() || after.starts_with([' ', '"', '\''])));
        separates.then_some(at)
    })?;
    let key = text[..at].trim().trim_matches(['"', '\'', '`', '*']);
    let named = key.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    named.then(|| (key, text[at + 1..].trim()))
}

fn looks_like_mapping(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| pair(line.trim()).is_some())
}

/// Parses a bare scalar and keeps its type. A number that would be written back differently (`1.10`, `007`, `1e5`)
/// stays text.
fn scalar(text: &str) -> Value {
    for quote in ['"', '\''] {
        let inner = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote));
        if let Some(inner) = inner.filter(|t| !t.contains(quote)) {
            return Value::String(inner.to_owned());
        }
    }
    match text {
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        "null" | "None" | "~" => return Value::Null,
        _ => {}
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Number(number)) if number.to_string() == text => Value::Number(number),
        _ => Value::String(text.to_owned()),
    }
}

fn says_nothing(text: &str) -> bool {
    let bare = text.trim_matches(['`', '"', '\'']).to_ascii_lowercase();
    matches!(
        bare.as_str(),
        "" | "none" | "n/a" | "null" | "{}" | "()" | "no input" | "(none)" | "(empty)" | "empty"
    )
}

fn starts_with_json(text: &str) -> bool {
    let mut values = Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next().is_some_and(|value| value.is_ok())
}

/// Returns the inside of a code fence, if the input is in one.
fn unfence(text: &str) -> &str {
    let trimmed = text.trim();
    if let Some(rest) = trimmed.strip_prefix("```") {
        let (info, body) = rest.split_once('\n').unwrap_or(("", rest));
        let body = if info.trim().contains(char::is_whitespace) {
            rest
        } else {
            body
        };
        return body.split("```").next().unwrap_or(body);
    }
    let Some(rest) = trimmed.strip_prefix('`') else {
        return text;
    };
    match rest.strip_suffix('`') {
        Some(inner) if !inner.contains('`') => inner,
        // Drop the tool output that a small model makes up after an object. The JSON itself may contain backticks.
        _ if rest.starts_with(['{', '[']) && starts_with_json(rest) => rest,
        _ if rest.starts_with(['{', '[']) => rest.split('`').next().unwrap_or(rest),
        _ => text,
    }
}
