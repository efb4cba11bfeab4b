//! Escapes untrusted text in log lines.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

/// Whether a character must not reach a terminal or log collector unescaped. These are control characters (including
/// line breaks and ANSI escapes), line separators, zero-width and bidirectional formatting characters, and the
/// invisible tag block.
const fn is_dangerous(c: char) -> bool {
    matches!(
        c,
        '\u{0}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Replaces dangerous characters by their `\uXXXX` escapes.
///
/// The escapes are those of JSON, so a JSON line stays the same JSON value. Text without such
/// characters is borrowed.
#[must_use]
pub fn escape_untrusted(text: &str) -> Cow<'_, str> {
    if !text.contains(is_dangerous) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_dangerous(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String can't fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// A writer for `tracing_subscriber` that escapes each event and keeps it on one line.
///
/// The subscriber passes one whole event, ending in a line break, per `write_all`.
#[derive(Debug)]
pub struct EscapingWriter<W>(pub W);

impl<W: io::Write> io::Write for EscapingWriter<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.write_all(event)?;
        Ok(event.len())
    }

    fn write_all(&mut self, event: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(event);
        let (line, end) = match text.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (&*text, ""),
        };
        let mut bytes = escape_untrusted(line).into_owned();
        bytes.push_str(end);
        self.0.write_all(bytes.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_borrowed() {
        assert!(matches!(
            escape_untrusted("namespace “größe” 日本 🚀"),
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn control_ansi_bidi_and_tag_characters_are_escaped() {
        assert_eq!(escape_untrusted("a\r\nb"), r"a\u000d\u000ab");
        assert_eq!(escape_untrusted("\u{1b}[31mred"), r"\u001b[31mred");
        assert_eq!(escape_untrusted("\u{202e}txt"), r"\u202etxt");
        assert_eq!(escape_untrusted("\u{e0041}"), r"\udb40\udc41");
    }
}
