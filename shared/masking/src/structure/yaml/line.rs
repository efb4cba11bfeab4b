//! Fast path for most YAML lines: reads `key: value` and `- key: value` in one pass. All other lines take the slow
//! path.

use crate::bytes::{self, ALNUM, ALPHA};
use crate::structure::leaf::{NONE, Role, Style};
use crate::structure::yaml::reader::{LINE_BYTES, Reader, SHORT_BYTES};

/// A line with one name and at most one value.
struct Line {
    /// End of the name.
    key: usize,
    value: Option<((usize, usize), Style)>,
    /// Start of the next line.
    next: usize,
}

impl Reader<'_> {
    /// Reads the line at `self.at` if it is simple. Otherwise returns `Some(false)` and changes nothing.
    pub(super) fn simple_line(&mut self) -> Option<bool> {
        let start = self.at;
        let lead = bytes::blanks_end(self.text, start);
        let dashed = self.byte(lead) == b'-' && self.byte(lead + 1) == b' ';
        let at = if dashed {
            bytes::blanks_end(self.text, lead + 2)
        } else {
            lead
        };
        let Some(line) = self.simple(at) else {
            return Some(false);
        };
        let column = at - start;
        // A plain value may continue on the next line.
        let continues =
            matches!(line.value, Some((_, Style::Plain))) && self.byte(line.next + column) == b' ';
        if continues || line.next - start > LINE_BYTES {
            return Some(false);
        }
        if dashed {
            self.item(lead - start, false)?;
        }
        let mapping = self.mapping(column, dashed)?;
        let key = self
            .found
            .push((at, line.key), Role::Key, Style::Plain, NONE, mapping);
        let pending = match line.value {
            Some((span, style)) => {
                self.found.push(span, Role::Value, style, key, mapping);
                if let Some(leaf) = self.found.leaves.last_mut() {
                    leaf.is_literal = true;
                }
                NONE
            }
            None => key,
        };
        if let Some(last) = self.open.last_mut() {
            last.pending = pending;
        }
        self.at = line.next;
        Some(true)
    }

    /// Returns the name at `at` and its value.
    fn simple(&self, at: usize) -> Option<Line> {
        if !bytes::is(self.byte(at), ALNUM) {
            return None;
        }
        let after = bytes::run(self.text, at, bytes::YAML_KEY, SHORT_BYTES);
        let key = after - 1;
        if self.byte(key) != b':' || bytes::before(self.text, key) == b':' {
            return None;
        }
        let from = match self.byte(after) {
            b'\n' => {
                let next = after + 1;
                return Some(Line {
                    key,
                    value: None,
                    next,
                });
            }
            b' ' if self.byte(after + 1) != b' ' => after + 1,
            b' ' => bytes::blanks_end(self.text, after + 1),
            _ => return None,
        };
        let (span, style) = match self.byte(from) {
            b'"' => ((from + 1, self.quoted_end(from, b'\\')?), Style::Quoted),
            b'\'' => ((from + 1, self.quoted_end(from, b'\'')?), Style::Quoted),
            first if bytes::is(first, ALPHA | bytes::DIGIT | bytes::SLASH | bytes::DOT) => {
                ((from, self.plain_end(from)?), Style::Plain)
            }
            _ => return None,
        };
        let next = span.1 + 1 + usize::from(style == Style::Quoted);
        Some(Line {
            key,
            value: Some((span, style)),
            next,
        })
    }

    /// Returns the end of the string that was opened at `open`, if it ends its line and contains no `escape`.
    fn quoted_end(&self, open: usize, escape: u8) -> Option<usize> {
        let quote = self.byte(open);
        let end = bytes::find_any(self.text, open + 1, [quote, escape, b'\n']);
        (self.byte(end) == quote && self.byte(end + 1) == b'\n').then_some(end)
    }

    /// Returns the end of the plain scalar at `from`, if it ends its line and contains nothing that may have another
    /// meaning.
    fn plain_end(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at = bytes::find_any(self.text, at, [b'\n', b':', b'#']);
            match self.byte(at) {
                b'\n' => {
                    let trimmed = !bytes::before(self.text, at).is_ascii_whitespace();
                    return trimmed.then_some(at);
                }
                b':' if bytes::is(self.byte(at + 1), ALNUM | bytes::SLASH) => at += 1,
                _ => return None,
            }
        }
    }
}
