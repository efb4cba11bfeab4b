//! Normalises text for comparisons.

/// Converts to lower case, decodes JSON escapes, replaces typographic quotes and hyphens, and collapses white space to
/// one blank.
pub(crate) fn normalized(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let char = match char {
            '\\' => match chars.peek() {
                Some('n' | 't' | 'r') => {
                    chars.next();
                    ' '
                }
                Some('"' | '\\' | '/') => chars.next().unwrap_or(' '),
                _ => '\\',
            },
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2010}' | '\u{2011}' => '-',
            char => char,
        };
        if char.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if char.is_ascii() {
            out.push(char.to_ascii_lowercase());
        } else {
            out.extend(char.to_lowercase());
        }
    }
    out
}

/// Returns the beginning of a text, at most this many bytes.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// Returns the end of a text, at most this many bytes.
pub(crate) fn end(text: &str, bytes: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    text.get(from..).unwrap_or_default()
}

/// Whether all bytes of a text meet a condition.
pub(crate) fn is_all(text: &str, is_such: impl Fn(&u8) -> bool) -> bool {
    text.as_bytes().iter().all(is_such)
}

/// Whether a character can be part of a word.
pub(crate) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
