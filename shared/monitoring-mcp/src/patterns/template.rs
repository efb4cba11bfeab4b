//! What stays the same in a line.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// Stands for what varies.
pub(super) const VARIABLE: &str = "<*>";
/// Words of a pattern; what comes behind them is one variable.
const MOST_WORDS: usize = 60;
/// Keys under which loggers write the message of a structured line.
const MESSAGE_KEYS: [&str; 5] = ["msg", "message", "log", "error", "err"];

/// What has a digit in it, with the separators inside: times, addresses, ids, sizes, hashes.
static VARYING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[\p{Alphabetic}+-]*[0-9][\p{Alphabetic}0-9]*(?:[.:_/+-]+[\p{Alphabetic}0-9]*[0-9][\p{Alphabetic}0-9]*)*").ok()
});
/// A word of a level, also within `level=error` or `"severity":"ERROR"`, or the `E` of klog.
static LEVEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(fatal|panic|critical|crit|emerg|error|err|exception|warning|warn)\b").ok()
});
/// Characters of a line in which its level is looked for.
const LEVEL_WITHIN: usize = 200;

/// The message of a structured line (JSON, logfmt); another line as it is.
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

/// The words of a message, with [`VARIABLE`] for what varies.
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
        // Two times in a row, or a date and a time, are one.
        if word == VARIABLE && words.last().is_some_and(|last| last == VARIABLE) {
            continue;
        }
        words.push(word.into_owned());
    }
    words
}

/// How grave a line says that it is.
pub(super) fn level(line: &str) -> Option<&'static str> {
    let head: String = line.chars().take(LEVEL_WITHIN).collect();
    let found = LEVEL.as_ref()?.find(&head)?;
    Some(match &*found.as_str().to_lowercase() {
        "warning" | "warn" => "warn",
        "error" | "err" | "exception" => "error",
        _ => "fatal",
    })
}
