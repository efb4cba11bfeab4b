//! Closes a truncated JSON document.

/// Closes `head` so that it parses. A truncated string keeps its beginning. Any other truncated member or element is
/// dropped. `None` if `head` is not the beginning of an object.
pub(crate) fn close_truncated_json(head: &[u8]) -> Option<String> {
    let mut scan = Scan::default();
    for (at, byte) in head.iter().enumerate() {
        scan.step(at, *byte)?;
    }
    let mut kept = match scan.string {
        Some(string) if !string.is_key => {
            let end = string.escape_at.unwrap_or(head.len());
            let mut text = utf8_prefix(&head[..end]).to_owned();
            drop_half_pair(&mut text);
            text.push('"');
            text
        }
        _ => utf8_prefix(&head[..scan.good]).to_owned(),
    };
    if scan.stack.is_empty() && kept.trim().is_empty() {
        return None;
    }
    kept.extend(
        scan.stack
            .iter()
            .rev()
            .map(|open| if *open == b'{' { '}' } else { ']' }),
    );
    Some(kept)
}

/// State of the scanner.
#[derive(Default)]
struct Scan {
    stack: Vec<u8>,
    /// Up to this position, closing the open brackets gives a valid document.
    good: usize,
    string: Option<InString>,
    expects_key: bool,
}

struct InString {
    is_key: bool,
    /// Start of an unfinished escape; `wants` is the number of bytes it lacks.
    escape_at: Option<usize>,
    wants: u8,
}

impl Scan {
    fn step(&mut self, at: usize, byte: u8) -> Option<()> {
        if let Some(string) = &mut self.string {
            if string.escape_at.is_some() {
                string.wants = match (string.wants, byte) {
                    (0, b'u') => 4,
                    (0, _) => 0,
                    (left, _) => left - 1,
                };
                if string.wants == 0 {
                    string.escape_at = None;
                }
            } else if byte == b'\\' {
                string.escape_at = Some(at);
            } else if byte == b'"' {
                if !string.is_key {
                    self.good = at + 1;
                }
                self.string = None;
            }
            return Some(());
        }
        match byte {
            b'"' => {
                let is_key = self.expects_key && self.stack.last() == Some(&b'{');
                self.string = Some(InString {
                    is_key,
                    escape_at: None,
                    wants: 0,
                });
            }
            b'{' | b'[' => {
                self.stack.push(byte);
                self.expects_key = byte == b'{';
                self.good = at + 1;
            }
            b'}' | b']' => {
                self.stack.pop()?;
                self.expects_key = false;
                self.good = at + 1;
            }
            b':' => self.expects_key = false,
            // A number or literal before the comma is complete only now.
            b',' => {
                self.good = at;
                self.expects_key = true;
            }
            _ => {}
        }
        Some(())
    }
}

fn utf8_prefix(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// Drops the first half of a surrogate pair (`\ud83d`) from the end of a string.
fn drop_half_pair(text: &mut String) {
    let Some(start) = text.len().checked_sub(6) else {
        return;
    };
    let Some(last) = text.get(start..) else {
        return;
    };
    let backslashes = text[..start]
        .bytes()
        .rev()
        .take_while(|byte| *byte == b'\\')
        .count();
    let is_half = last
        .strip_prefix("\\u")
        .and_then(|hex| u16::from_str_radix(hex, 16).ok());
    if backslashes % 2 == 0 && is_half.is_some_and(|unit| (0xd800..0xdc00).contains(&unit)) {
        text.truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn parse(head: &str) -> Value {
        serde_json::from_str(&close_truncated_json(head.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn what_was_cut_is_dropped_and_a_cut_string_keeps_its_beginning() {
        assert_eq!(
            parse(r#"{"a":1,"b":{"c":["x","yz"#),
            json!({"a": 1, "b": {"c": ["x", "yz"]}})
        );
        assert_eq!(parse(r#"{"a":1,"b"#), json!({"a": 1}));
        assert_eq!(parse(r#"{"a":1,"b":12"#), json!({"a": 1}));
        assert_eq!(parse(r#"{"a":"x\"#), json!({"a": "x"}));
        assert_eq!(parse(r#"{"a":"x\u00"#), json!({"a": "x"}));
        assert_eq!(parse(r#"{"a":"x\ud83d"#), json!({"a": "x"}));
        assert_eq!(close_truncated_json(b"no json"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_beginning_of_a_document_can_be_closed(text in "[a\"\\\\\u{1f600}\n,:{}\\[\\]]{0,20}", n in any::<i32>()) {
            let document = json!({"k": text, "l": [n, true, null, {"m": text}], "z": n}).to_string();
            for end in 1..=document.len() {
                let closed = close_truncated_json(&document.as_bytes()[..end]).unwrap();
                prop_assert!(serde_json::from_str::<Value>(&closed).is_ok(), "{} -> {}", &document[..document.floor_char_boundary(end)], closed);
            }
        }
    }
}
