//! Spans of a text to replace, and their replacements.

use crate::pattern::Pattern;

/// Owner of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    /// The operator's own pattern, by its index. It takes precedence over a built-in pattern.
    Custom(usize),
    /// A built-in pattern. Patterns that are earlier in the table take precedence.
    BuiltIn(Pattern),
}

/// Quotes that a replacement needs so that the text around it stays valid JSON or YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    /// No quotes: the span is already in quotes, or in text without structure.
    None,
    /// Double quotes, each after this many backslashes (one for JSON inside a JSON string).
    Double(u8),
}

/// A part of the text to replace, in bytes. Never empty, and always at character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) label: Label,
    pub(crate) quoting: Quoting,
}

/// Sorts spans and joins those that overlap. A joined span gets the strongest label, and the quoting of the span that
/// covers all of it.
pub(crate) fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable_by_key(|s| (s.start, std::cmp::Reverse(s.end), s.label));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => {
                if (span.start, span.end) == (last.start, last.end) && last.quoting == Quoting::None
                {
                    last.quoting = span.quoting;
                }
                if span.end > last.end {
                    last.end = span.end;
                    last.quoting = Quoting::None;
                }
                last.label = last.label.min(span.label);
            }
            _ => merged.push(span),
        }
    }
    merged
}

/// Returns `text` with every span replaced by `marker` of its label. The spans are sorted and disjoint.
pub(crate) fn render<'m>(text: &str, spans: &[Span], marker: impl Fn(Label) -> &'m str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        out.push_str(text.get(from..span.start).unwrap_or_default());
        match span.quoting {
            Quoting::None => out.push_str(marker(span.label)),
            Quoting::Double(depth) => {
                let quote = |out: &mut String| {
                    out.extend(std::iter::repeat_n('\\', depth.into()));
                    out.push('"');
                };
                quote(&mut out);
                out.push_str(marker(span.label));
                quote(&mut out);
            }
        }
        from = span.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: usize, end: usize, pattern: Pattern, quoting: Quoting) -> Span {
        Span {
            start,
            end,
            label: Label::BuiltIn(pattern),
            quoting,
        }
    }

    #[test]
    fn overlaps_join_under_the_strongest_label() {
        let spans = vec![
            span(4, 9, Pattern::Token, Quoting::Double(0)),
            span(4, 9, Pattern::Jwt, Quoting::None),
            span(12, 14, Pattern::Password, Quoting::None),
            span(13, 16, Pattern::Password, Quoting::None),
        ];
        let merged = merge(spans);
        assert_eq!(
            merged,
            [
                span(4, 9, Pattern::Jwt, Quoting::Double(0)),
                span(12, 16, Pattern::Password, Quoting::None)
            ]
        );
        assert_eq!(
            render("key=tokenabcpinX!", &merged, |_| "*"),
            "key=\"*\"abc*!"
        );
    }
}
