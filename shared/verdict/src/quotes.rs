//! Finds the marked parts of a text: code and quotations.

/// A marked part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span<'a> {
    pub(crate) text: &'a str,
    /// Byte at which the part begins, including its mark.
    pub(crate) start: usize,
    /// Whether it is marked as code.
    pub(crate) is_code: bool,
}

/// Returns the marked parts of a text in order, and the text with blanks in their place.
pub(crate) fn spans(text: &str) -> (Vec<Span<'_>>, String) {
    let mut found = Vec::new();
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(char) = text.get(at..).and_then(|text| text.chars().next()) {
        match marked(text, at, char) {
            Some((span, end)) => {
                rest.push_str(&blank(text.get(at..end).unwrap_or_default()));
                found.push(span);
                at = end;
            }
            None => {
                rest.push(char);
                at += char.len_utf8();
            }
        }
    }
    (found, rest)
}

/// Returns a text with a blank for each quotation of several words, because those are not the author's own words.
pub(crate) fn without_quotations(text: &str) -> String {
    let (spans, _) = spans(text);
    let quotations = spans.iter().filter(|span| span.text.contains(' '));
    quotations.fold(text.to_owned(), |text, span| text.replace(span.text, " "))
}

fn blank(text: &str) -> String {
    " ".repeat(text.len())
}

fn marked(text: &str, at: usize, char: char) -> Option<(Span<'_>, usize)> {
    let from = text.get(at..)?;
    let (mark, close, is_code): (usize, String, bool) = match char {
        '`' => {
            let ticks = from.bytes().take_while(|byte| *byte == b'`').count();
            (ticks, "`".repeat(ticks), true)
        }
        '"' => (1, "\"".to_owned(), false),
        '\u{201c}' => (char.len_utf8(), "\u{201d}".to_owned(), false),
        _ => return None,
    };
    let inside = from.get(mark..)?;
    let length = inside.find(&close)?;
    let content = inside.get(..length)?;
    // A longer text, or one with a blank line, is no quotation but has a stray mark. Blocks of code may be long.
    if content.trim().is_empty() || (mark < 3 && (content.contains("\n\n") || content.len() > 600))
    {
        return None;
    }
    let span = Span {
        text: content,
        start: at,
        is_code,
    };
    Some((span, at + mark + length + close.len()))
}
