//! Reduces a log line to its template: the words that stay the same, and variables.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// Placeholder for text that varies.
pub(super) const VARIABLE: &str = "<*>";
/// Maximum number of words of a template. In a longer line, the last word and the rest become one variable.
const MOST_WORDS: usize = 60;
/// Keys under which loggers write the message of a structured line.
const MESSAGE_KEYS: [&str; 5] = ["msg", "message", "log", "error", "err"];

/// Matches text with digits, including inner separators: times, addresses, ids, sizes, hashes.
static VARYING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[\p{Alphabetic}+-]*[0-9][\p{Alphabetic}0-9]*(?:[.:_/+-]+[\p{Alphabetic}0-9]*[0-9][\p{Alphabetic}0-9]*)*").ok()
});
/// Matches a word for a level, also within `level=error` or `"severity":"ERROR"`.
static LEVEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(fatal|panic|critical|crit|emerg|error|err|exception|warning|warn)\b").ok()
});
/// Number of characters at the beginning of a line in which its level is searched for.
const LEVEL_WITHIN: usize = 200;

/// Returns the message of a line of JSON; any other line unchanged.
pub(super) fn message(line: &str) -> Cow<'_, str> {
    let line = line.trim();
    if line.starts_with('{')
        && let Ok(Value::Object(members)) = serde_json::from_str(line)
    {
        let told = MESSAGE_KEYS
            .iter()
            .filter_map(|key| members.get(*key)?.as_str());
        let told: Vec<&str> = told.collect();
        if !told.is_empty() {
            return Cow::Owned(told.join(" | "));
        }
    }
    Cow::Borrowed(line)
}

/// Returns the words of a message, with [`VARIABLE`] in place of text that varies.
pub(super) fn template(message: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in message.split_whitespace() {
        if words.len() == MOST_WORDS {
            VARIABLE.clone_into(&mut words[MOST_WORDS - 1]);
            break;
        }
        let word = match &*VARYING {
            Some(varying) => varying.replace_all(word, VARIABLE),
            None => Cow::Borrowed(word),
        };
        // Adjacent variables, such as a date and a time, become one.
        if word == VARIABLE && words.last().is_some_and(|last| last == VARIABLE) {
            continue;
        }
        words.push(word.into_owned());
    }
    words
}

/// Returns the level that a line states: `fatal`, `error` or `warn`.
pub(super) fn level(line: &str) -> Option<&'static str> {
    let head: String = line.chars().take(LEVEL_WITHIN).collect();
    let found = LEVEL.as_ref()?.find(&head)?;
    Some(match &*found.as_str().to_lowercase() {
        "warning" | "warn" => "warn",
        "error" | "err" | "exception" => "error",
        _ => "fatal",
    })
}
