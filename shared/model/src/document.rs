//! JSON documents from other systems: which ones are accepted, and how each reader reads them.
//!
//! Postgres stores more than `serde_json` can read: numbers of any size and any depth of nesting. The ingest API
//! refuses documents that a reader could not read. A row that got in some other way fails without affecting other rows.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

/// Deepest nesting that is accepted. `serde_json` reads 127 levels, and a response of the API adds some around a
/// document.
pub const DEEPEST_DOCUMENT: u64 = 120;

/// Largest number that every reader can read. A double ends at 1.7977e308, where parsers differ.
const LARGEST: f64 = 1.797e308;

/// A stored document that no reader of this version can read.
#[derive(Debug, thiserror::Error)]
#[error("the stored document can't be read: {0}")]
pub struct Unreadable(#[from] serde_json::Error);

/// Whether every reader can read this number of a JSON text.
#[must_use]
pub fn is_readable_number(token: &str) -> bool {
    token
        .parse::<f64>()
        .is_ok_and(|number| number.abs() <= LARGEST)
}

/// Reads a stored document. A number that would lose digits is read as a string of its digits. So no reader works with
/// a number that differs from the one that was sent.
///
/// # Errors
///
/// [`Unreadable`] for text that is nested too deeply.
pub fn read_document(text: &str) -> Result<Value, Unreadable> {
    Ok(serde_json::from_str(&quote_numbers(text, is_exact))?)
}

/// Prepares a stored document for a response of the API. It stays as it is if ordinary clients can read it.
///
/// A number beyond the range of a double becomes a string. A document that is nested too deeply becomes
/// `{"unreadable": <why>, "text": <the document>}`.
#[must_use]
pub fn presentable_document(stored: Box<RawValue>) -> Box<RawValue> {
    let error = match serde_json::from_str::<Value>(stored.get()) {
        Ok(_) => return stored,
        Err(error) => error,
    };
    let quoted = quote_numbers(stored.get(), is_readable_number);
    if serde_json::from_str::<Value>(&quoted).is_ok()
        && let Ok(quoted) = RawValue::from_string(quoted.into_owned())
    {
        return quoted;
    }
    let wrapped = serde_json::json!({ "unreadable": error.to_string(), "text": stored.get() });
    serde_json::value::to_raw_value(&wrapped).unwrap_or(stored)
}

/// Puts each number in `text` that `keep` rejects in quotes.
fn quote_numbers(text: &str, keep: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut quoted = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let start = at;
                at += bytes[at..].iter().take_while(|b| in_number(**b)).count();
                let token = &text[start..at];
                if !keep(token) {
                    quoted.push_str(&text[copied..start]);
                    quoted.push('"');
                    quoted.push_str(token);
                    quoted.push('"');
                    copied = at;
                }
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    quoted.push_str(&text[copied..]);
    Cow::Owned(quoted)
}

/// Returns the position after the string that begins at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

const fn in_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Whether `serde_json` reads exactly the number that is written.
fn is_exact(token: &str) -> bool {
    // Most numbers are short integers.
    if token.len() <= 15 && token.bytes().all(|b| b.is_ascii_digit()) {
        return true;
    }
    if token.parse::<i64>().is_ok() || token.parse::<u64>().is_ok() {
        return true;
    }
    serde_json::from_str::<f64>(token)
        .is_ok_and(|read| Decimal::parse(token) == Decimal::parse(&format!("{read:e}")))
}

/// A number, independent of its notation: `digits` times ten to the power of `exponent`.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn parse(token: &str) -> Option<Self> {
        let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
        let mut exponent: i64 = exponent.parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        let all = format!("{}{fraction}", whole.trim_start_matches('-'));
        let digits = all.trim_start_matches('0');
        let significant = digits.trim_end_matches('0');
        if significant.is_empty() {
            exponent = 0;
        } else {
            let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
            exponent = exponent.checked_add(zeros)?;
        }
        Some(Self {
            negative: whole.starts_with('-'),
            digits: significant.to_owned(),
            exponent,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn numbers_keep_their_value_or_become_text() {
        let text = r#"{"a-1 2": 1, "b": [-5, 0.1, 1.50, 1e300, -0, 18446744073709551615],
            "c": [18446744073709551616, 9007199254740993123456789, 0.1000000000000000055511151231257827, 1e309, 1e-400],
            "d\"9": "1e999 \\", "e": [true, null]}"#;
        assert_eq!(
            read_document(text).unwrap(),
            json!({
                "a-1 2": 1, "b": [-5, 0.1, 1.5, 1e300, -0.0, u64::MAX],
                "c": ["18446744073709551616", "9007199254740993123456789", "0.1000000000000000055511151231257827",
                      "1e309", "1e-400"],
                "d\"9": "1e999 \\", "e": [true, null]
            })
        );
        let long = format!("[1{}]", "0".repeat(300));
        assert_eq!(read_document(&long).unwrap(), json!([1e300]));
    }

    #[test]
    fn clients_are_shown_what_they_can_read() {
        let exact = r#"{"id": 9007199254740993123456789}"#;
        assert_eq!(presentable_document(raw(exact)).get(), exact);
        let large = presentable_document(raw(r#"{"n": [1e309, 2], "s": "1e309"}"#));
        assert_eq!(large.get(), r#"{"n": ["1e309", 2], "s": "1e309"}"#);
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let shown: Value = serde_json::from_str(presentable_document(raw(&deep)).get()).unwrap();
        assert_eq!(shown["text"], deep);
        assert!(
            shown["unreadable"].as_str().unwrap().contains("recursion"),
            "{shown}"
        );
        assert!(read_document(&deep).is_err());
    }

    #[test]
    fn what_overflows_a_double_is_not_readable() {
        for (token, readable) in [
            ("1.5e308", true),
            ("-1.797e308", true),
            ("1.7976931348623157e308", false),
            ("1e309", false),
            ("-1e400", false),
            ("1e-400", true),
            (&"9".repeat(308), true),
            (&"9".repeat(309), false),
            (&format!("0.{}1e310", "0".repeat(300)), true),
        ] {
            assert_eq!(is_readable_number(token), readable, "{token}");
        }
    }
}
