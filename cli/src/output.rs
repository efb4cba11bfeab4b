//! Formatting of terminal output.

use std::io::IsTerminal as _;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;
use tarsy_model::is_hidden;

/// Applies a style if standard output is a terminal with colours.
pub(crate) fn styled(code: &str, text: &str) -> String {
    let wanted = std::io::stdout().is_terminal();
    if wanted {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

pub(crate) fn bold(text: &str) -> String {
    styled("1", text)
}

pub(crate) fn dim(text: &str) -> String {
    styled("2", text)
}

pub(crate) fn status(word: &str) -> String {
    let code = match word {
        "completed" => "32",
        "failed" | "cancelled" => "31",
        "partial" => "33",
        _ => "36",
    };
    styled(code, word)
}

/// Returns the text of a field; `-` if it is missing.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("-")
}

/// Returns the name of a session's alert, or its type if the sender set no name.
pub(crate) fn alert_name(session: &Value) -> &str {
    let name = session.get("alert_name").and_then(Value::as_str);
    name.unwrap_or_else(|| text(session, "alert_type"))
}

/// Returns the integer of a field; 0 if it is missing.
pub(crate) fn number(value: &Value, key: &str) -> i64 {
    value.get(key).and_then(Value::as_i64).unwrap_or(0)
}

/// Formats the time of a field in Unix microseconds; `None` if it is missing.
pub(crate) fn time(value: &Value, key: &str) -> Option<String> {
    let at_us = value.get(key).and_then(Value::as_i64)?;
    let since = Duration::from_micros(at_us.try_into().ok()?);
    let shown = humantime::format_rfc3339_seconds(UNIX_EPOCH.checked_add(since)?);
    Some(shown.to_string())
}

/// Returns the elements of the list under `key`; none if it is missing.
pub(crate) fn members<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    let list = value.get(key).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// Shortens text to one line of at most `most` characters and removes control characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let text = harmless(text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// Replaces characters in untrusted text that could affect a terminal or change the order of letters. Blanks and the
/// joiners of emoji are kept.
pub(crate) fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| {
            let stays = matches!(
                c,
                '\n' | '\t' | '\u{a0}' | '\u{2000}'
                    ..='\u{200a}' | '\u{200d}' | '\u{202f}' | '\u{3000}' | '\u{fe0f}'
            );
            if is_hidden(c) && !stays {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

pub(crate) fn millis(ms: i64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {:02} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

pub(crate) fn span(duration: std::time::Duration) -> String {
    millis(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
}

/// Formats a size in powers of 1,024.
pub(crate) fn size(bytes: i64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut rest = bytes as f64;
    let mut unit = "B";
    for larger in UNITS {
        if rest < 1_024.0 {
            break;
        }
        (rest, unit) = (rest / 1_024.0, larger);
    }
    match unit {
        "B" => format!("{bytes} B"),
        _ => format!("{rest:.1} {unit}"),
    }
}

/// Serialises a value as one line of JSON.
pub(crate) fn json<T: serde::Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    serde_json::to_string(value)
}

/// Prints a response: as JSON, or by `show` for people.
pub(crate) fn print(answer: &Value, as_json: bool, show: impl FnOnce(&Value)) {
    if as_json {
        println!("{answer}");
    } else {
        show(answer);
    }
}
