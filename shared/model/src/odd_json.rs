//! JSON that other languages write and `serde_json` refuses: a byte order mark, half a surrogate pair, `NaN`, raw
//! control characters.

use std::borrow::Cow;

use serde_json::Value;

/// Parses a text. Oddities in it are repaired only if it can't be parsed as it is.
///
/// # Errors
///
/// The error of parsing the text as it is.
pub fn parse_odd_json(text: &str) -> serde_json::Result<Value> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text)
        .or_else(|strict| serde_json::from_str(&usual(text)).map_err(|_| strict))
}

/// Rewrites the text as valid JSON: unpaired surrogates become U+FFFD, and numbers that JSON does not have become
/// `null`.
fn usual(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_text = false;
    while let Some(next) = rest.chars().next() {
        let taken = match (in_text, next) {
            (true, '\\') => {
                let (escape, taken) = escape(rest);
                written.push_str(&escape);
                taken
            }
            (true, control) if control.is_control() && control.is_ascii() => {
                written.push_str(&format!("\\u{:04x}", u32::from(control)));
                1
            }
            (false, 'N' | 'I' | '-') => match number_that_is_none(rest) {
                Some(taken) => {
                    written.push_str("null");
                    taken
                }
                None => {
                    written.push(next);
                    1
                }
            },
            _ => {
                in_text ^= next == '"';
                written.push(next);
                next.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    written
}

fn number_that_is_none(text: &str) -> Option<usize> {
    let words = ["NaN", "-Infinity", "Infinity"];
    let word = words.iter().find(|word| text.starts_with(**word))?;
    Some(word.len())
}

/// Returns the escape at the beginning of a text, and its length in bytes.
fn escape(text: &str) -> (Cow<'_, str>, usize) {
    let unit = |from: usize| -> Option<u16> {
        let digits = text.get(from..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    match unit(0) {
        Some(0xd800..=0xdbff) if unit(6).is_some_and(|low| (0xdc00..0xe000).contains(&low)) => {
            (text.get(..12).unwrap_or_default().into(), 12)
        }
        Some(0xd800..=0xdfff) => ("\\ufffd".into(), 6),
        _ => {
            let second = text.chars().nth(1).map_or(0, char::len_utf8);
            (text.get(..=second).unwrap_or(text).into(), 1 + second)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_python_and_javascript_write_is_read() {
        for (written, meant) in [
            (r#"{"a": "x\ud83dy"}"#, json!({"a": "x\u{fffd}y"})),
            (r#"{"a": "\udc00"}"#, json!({"a": "\u{fffd}"})),
            (
                r#"{"a": "\ud83d\ude00", "b": NaN}"#,
                json!({"a": "😀", "b": null}),
            ),
            (
                r#"[-Infinity, Infinity, -1, "NaN"]"#,
                json!([null, null, -1, "NaN"]),
            ),
            ("{\"a\": \"x\ny\\\"\tz\"}", json!({"a": "x\ny\"\tz"})),
            ("\u{feff}{\"a\": 1}", json!({"a": 1})),
        ] {
            assert_eq!(parse_odd_json(written).unwrap(), meant, "{written}");
        }
        for none in [
            "",
            "{",
            "Not a number",
            "{\"a\": \"\\",
            "{\"a\": \"\\ud8",
            "<html>",
        ] {
            assert!(parse_odd_json(none).is_err(), "{none}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_before_or_refused(text in "[-\\[\\]{}\":,\\\\udNIaf0-9 \n\u{feff}ä]{0,40}") {
            let strict = serde_json::from_str::<Value>(&text).ok();
            let read = parse_odd_json(&text).ok();
            prop_assert!(strict.is_none() || read == strict);
        }
    }
}
