//! YAML with one or more documents, read by indentation.

mod key;
mod line;
mod reader;
mod scalar;

use crate::bytes;
use crate::structure::flow::single_end;
use crate::structure::json::string_end;
use crate::structure::leaf::{NONE, Role, Structure, Style};
use crate::structure::yaml::key::{KeyKind, opened};
use crate::structure::yaml::reader::{DEPTH, Open, Reader, SHORT_BYTES};

/// Returns the leaves of `text`; `None` if a line does not fit.
pub(super) fn read(text: &[u8]) -> Option<Structure> {
    read_by(text, |reader| reader.simple_line())
}

/// Same as [`read`], with `simple` as the fast path for lines.
fn read_by(text: &[u8], simple: impl Fn(&mut Reader<'_>) -> Option<bool>) -> Option<Structure> {
    let mut reader = Reader::new(text);
    while reader.at < text.len() {
        if !simple(&mut reader)? {
            reader.read_line()?;
        }
    }
    key::classify_sentences(&mut reader.found.leaves);
    Some(reader.found)
}

impl Reader<'_> {
    fn read_line(&mut self) -> Option<()> {
        let start = self.at;
        let indent = bytes::blanks_end(self.text, start) - start;
        let mut at = start + indent;
        let end = self.line_end(start).max(at);
        let body = self.text.get(at..end)?;
        match body.first() {
            None => {
                self.next_line(start);
                return Some(());
            }
            Some(b'#') => {
                self.comment(at);
                self.next_line(start);
                return Some(());
            }
            Some(b'%') if indent == 0 => {
                self.next_line(start);
                return Some(());
            }
            Some(b'\t') => return None,
            _ => {}
        }
        if indent == 0 && (body == b"---" || body == b"..." || body.starts_with(b"--- #")) {
            self.open.clear();
            self.next_line(start);
            return Some(());
        }
        let mut dashed = false;
        while self.byte(at) == b'-' && matches!(self.byte(at + 1), b' ' | b'\n' | b'\r' | 0) {
            self.item(at - start, dashed)?;
            dashed = true;
            at = self.blanks(at + 1);
            if at >= end || self.byte(at) == b'#' {
                if let Some(last) = self.open.last_mut() {
                    last.bare_dash = true;
                }
                self.comment(at);
                self.next_line(start);
                return Some(());
            }
        }
        if self.byte(at) == b'?' && self.byte(at + 1) == b' ' {
            return None;
        }
        match self.key(at, end) {
            Some((key, kind, style, after)) => {
                self.member((start, at), dashed, (key, kind, style), after)
            }
            None => self.alone(at, dashed),
        }
    }

    /// Reads a dash at `column`: the start of a sequence, or its next item.
    fn item(&mut self, column: usize, inner: bool) -> Option<()> {
        if !inner {
            while self.open.last().is_some_and(|o| {
                o.indent > column || o.indent == column && !o.sequence && o.pending == NONE
            }) {
                self.open.pop();
            }
        }
        let (owner, fits) = match self.open.last_mut() {
            Some(last) if last.sequence && last.indent == column => {
                last.bare_dash = false;
                return Some(());
            }
            Some(last) => {
                let owner = if last.sequence {
                    last.owner
                } else {
                    last.pending
                };
                last.pending = NONE;
                opened(&mut self.found, self.text, owner);
                (owner, last.sequence || owner != NONE)
            }
            None => (NONE, true),
        };
        if !fits || self.open.len() >= DEPTH {
            return None;
        }
        let group = self.found.group();
        self.open.push(Open {
            indent: column,
            sequence: true,
            group,
            owner,
            pending: NONE,
            bare_dash: false,
        });
        Some(())
    }

    /// Returns the key at `at`, if there is one: its position, kind and style, and the end of its colon.
    fn key(&self, at: usize, end: usize) -> Option<((usize, usize), KeyKind, Style, usize)> {
        let colon = |at: usize| {
            self.byte(at) == b':' && matches!(self.byte(at + 1), b' ' | b'\t' | b'\n' | b'\r' | 0)
        };
        let quoted = match self.byte(at) {
            b'"' => Some(string_end(self.text, at + 1)),
            b'\'' => single_end(self.text, at + 1),
            b'[' | b'{' | b'}' | b']' | b',' | b'#' | b'|' | b'>' | b'@' | b'`' | b'%' => {
                return None;
            }
            _ => None,
        };
        if let Some(close) = quoted {
            let after = self.blanks(close + 1);
            return (close < end && colon(after)).then_some((
                (at + 1, close),
                KeyKind::Name,
                Style::Quoted,
                after + 1,
            ));
        }
        let line = self.text.get(at..end)?;
        // A name without blanks is one run up to its colon.
        let run = bytes::run(line, 0, bytes::YAML_KEY, SHORT_BYTES);
        if run > 1
            && bytes::at(line, run - 1) == b':'
            && colon(at + run - 1)
            && !line.get(..run - 1)?.ends_with(b":")
        {
            return Some(((at, at + run - 1), KeyKind::Name, Style::Plain, at + run));
        }
        let length =
            memchr::memchr2_iter(b':', b'#', line).find(|i| match bytes::at(line, *i) {
                b':' => colon(at + i),
                _ => bytes::before(line, *i) == b' ',
            })?;
        let name = line.get(..length)?.trim_ascii_end();
        (self.byte(at + length) == b':' && !name.is_empty()).then_some((
            (at, at + name.len()),
            key::kind(name),
            Style::Plain,
            at + length + 1,
        ))
    }

    /// Reads `key: value` on the line at `start`. The key starts at `at` and has the given kind and style.
    fn member(
        &mut self,
        (start, at): (usize, usize),
        dashed: bool,
        (key, kind, style): ((usize, usize), KeyKind, Style),
        after: usize,
    ) -> Option<()> {
        let column = at - start;
        let mapping = self.mapping(column, dashed)?;
        let is_text = kind == KeyKind::Text;
        let role = if is_text { Role::Text } else { Role::Key };
        // The style of a sentence is corrected at the end.
        let style = if kind == KeyKind::Sentence {
            Style::Line
        } else {
            style
        };
        let name_at = self.found.push(key, role, style, NONE, mapping);
        let line_end = self.line_end(after);
        let value = self.blanks(after).min(line_end.max(after));
        let owner = if is_text { NONE } else { name_at };
        if let Some(last) = self.open.last_mut() {
            last.pending = NONE;
        }
        let read = self.value(value, column, owner, mapping)?;
        if !read && let Some(last) = self.open.last_mut() {
            last.pending = name_at;
        }
        if is_text
            && read
            && let Some(leaf) = self.found.leaves.last()
            && leaf.role == Role::Value
            && matches!(leaf.style, Style::Plain)
        {
            let end = leaf.end;
            self.found.leaves.pop();
            let text = self.found.leaves.last_mut()?;
            (text.end, text.style) = (end, Style::Line);
        }
        Some(())
    }

    /// Returns the number of the mapping that a key at `column` belongs to. The mapping may begin with this key.
    fn mapping(&mut self, column: usize, dashed: bool) -> Option<u32> {
        if !dashed {
            while self
                .open
                .last()
                .is_some_and(|o| o.indent > column || o.sequence && o.indent == column)
            {
                self.open.pop();
            }
        }
        match self.open.last_mut() {
            Some(last) if !last.sequence && last.indent == column => return Some(last.group),
            Some(last) if !dashed && !last.bare_dash && last.pending == NONE => return None,
            Some(last) => {
                opened(&mut self.found, self.text, last.pending);
                (last.pending, last.bare_dash) = (NONE, false);
            }
            None => {}
        }
        if self.open.len() >= DEPTH {
            return None;
        }
        let group = self.found.group();
        self.open.push(Open {
            indent: column,
            sequence: false,
            group,
            owner: NONE,
            pending: NONE,
            bare_dash: false,
        });
        Some(group)
    }

    /// Reads a value without a key on its line: an item, or the value of a key on an earlier line.
    fn alone(&mut self, at: usize, dashed: bool) -> Option<()> {
        let last = self.open.last_mut()?;
        let item = dashed || last.bare_dash;
        let owner = if item { last.owner } else { last.pending };
        if !item && owner == NONE {
            return None;
        }
        last.bare_dash = false;
        let (indent, group) = (last.indent, last.group);
        last.pending = NONE;
        opened(&mut self.found, self.text, owner);
        self.value(at, indent, owner, group)?.then_some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::structure::leaf::shown;

    /// Returns simple lines, lines that continue the previous one, and lines that differ from simple ones in one thing.
    fn line() -> impl Strategy<Value = String> {
        let simple = r#"( {0,3}|  - )[a-z]{1,3}(:| | a|: b|: "c"|: 'd'|: e/f:1)"#;
        let more = r#" {1,4}(f|g h|"i"|#j)"#;
        let odd = r#"( |  |   )(- |-|)(a:|"b": |c::|d: |e|\? |#|)(f|- g|h: i|"j\\""|'k''|l #m|\[n, o\]|\||&p q|\t)( |\r|)"#;
        prop_oneof![4 => simple, 1 => more, 1 => odd].prop_map(|line| format!("{line}\n"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn a_simple_line_says_what_it_says_the_long_way(lines in prop::collection::vec(line(), 1..5)) {
            let text = lines.concat();
            let long = read_by(text.as_bytes(), |_| Some(false));
            prop_assert_eq!(shown(read(text.as_bytes())), shown(long));
        }
    }
}
