//! YAML, several documents of it, by indentation.

use super::flow::{self, single_end};
use super::json::string_end;
use super::{NONE, Role, Structure, Style};
use crate::bytes::{self, ALNUM, NAME};

/// Mappings and sequences nested deeper than this make a text no YAML.
const DEPTH: usize = 128;
/// The longest line, in bytes.
const LINE_BYTES: usize = 1 << 20;

/// A mapping or sequence that is being read.
#[derive(Debug, Clone, Copy)]
struct Open {
    indent: usize,
    sequence: bool,
    group: u32,
    /// The key of the values of a sequence.
    owner: u32,
    /// The key of a mapping that has no value yet.
    pending: u32,
}

/// A text that is being read.
struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    open: Vec<Open>,
    found: Structure,
}

/// The leaves of `text`; `None` when some line does not fit.
pub(super) fn read(text: &[u8]) -> Option<Structure> {
    let mut reader = Reader {
        text,
        at: 0,
        open: Vec::new(),
        found: Structure::default(),
    };
    while reader.at < text.len() {
        reader.line()?;
    }
    Some(reader.found)
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> u8 {
        bytes::at(self.text, at)
    }

    /// The end of the line around `at`, without blanks at its end.
    fn line_end(&self, at: usize) -> usize {
        let end = bytes::line_end(self.text, at, LINE_BYTES);
        let line = self.text.get(at..end).unwrap_or_default();
        at + line.trim_ascii_end().len()
    }

    fn next_line(&mut self, at: usize) {
        self.at = bytes::line_end(self.text, at, LINE_BYTES) + 1;
    }

    fn blanks(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        at + rest
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count()
    }

    fn comment(&mut self, from: usize) {
        let end = self.line_end(from);
        if self.byte(from) == b'#' && end > from {
            self.found
                .push((from, end), Role::Text, Style::Line, NONE, 0);
        }
    }

    fn line(&mut self) -> Option<()> {
        let start = self.at;
        let indent = bytes::run(self.text, start, bytes::SPACE, LINE_BYTES) - start;
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
                self.comment(at);
                self.next_line(start);
                return Some(());
            }
        }
        if self.byte(at) == b'?' && self.byte(at + 1) == b' ' {
            return None;
        }
        match self.key(at, end) {
            Some((key, style, behind)) => self.member(start, at, dashed, key, style, behind),
            None => self.alone(at, dashed),
        }
    }

    /// A dash at `column`: the start of a sequence, or the next item of one.
    fn item(&mut self, column: usize, inner: bool) -> Option<()> {
        if !inner {
            while self.open.last().is_some_and(|o| {
                o.indent > column || o.indent == column && !o.sequence && o.pending == NONE
            }) {
                self.open.pop();
            }
        }
        let (owner, fits) = match self.open.last_mut() {
            Some(last) if last.sequence && last.indent == column => return Some(()),
            Some(last) => {
                let owner = if last.sequence {
                    last.owner
                } else {
                    last.pending
                };
                last.pending = NONE;
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
        });
        Some(())
    }

    /// The key at `at`, if there is one: where it is, how it is written, and where its colon ends.
    fn key(&self, at: usize, end: usize) -> Option<((usize, usize), Style, usize)> {
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
            let behind = self.blanks(close + 1);
            return (close < end && colon(behind)).then_some((
                (at + 1, close),
                Style::Quoted,
                behind + 1,
            ));
        }
        let line = self.text.get(at..end)?;
        let length = line.iter().enumerate().position(|(i, b)| {
            *b == b':' && colon(at + i) || *b == b'#' && bytes::before(line, i) == b' '
        })?;
        let name = line.get(..length)?.trim_ascii_end();
        (self.byte(at + length) == b':' && !name.is_empty()).then_some((
            (at, at + name.len()),
            Style::Plain,
            at + length + 1,
        ))
    }

    /// `key: value` whose key starts at `at`.
    fn member(
        &mut self,
        start: usize,
        at: usize,
        dashed: bool,
        key: (usize, usize),
        style: Style,
        behind: usize,
    ) -> Option<()> {
        let column = at - start;
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
            Some(last) if !last.sequence && last.indent == column => {}
            Some(last) if !dashed && (last.sequence || last.pending == NONE) => return None,
            last => {
                if let Some(last) = last {
                    last.pending = NONE;
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
                });
            }
        }
        let mapping = self.open.last()?.group;
        let name = self.text.get(key.0..key.1)?;
        let said = style == Style::Plain && !is_name(name);
        let role = if said { Role::Text } else { Role::Key };
        let owner = self.found.push(key, role, style, NONE, mapping);
        let line_end = self.line_end(behind);
        let value = self.blanks(behind).min(line_end.max(behind));
        let owner = if said { NONE } else { owner };
        if let Some(last) = self.open.last_mut() {
            last.pending = NONE;
        }
        let read = self.value(value, column, owner, mapping)?;
        if !read && let Some(last) = self.open.last_mut() {
            // A sentence may have a colon, but nothing below it.
            last.pending = if said { NONE } else { owner };
        }
        if said
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

    /// A value without a key on its line: an item, or what a key above waits for.
    fn alone(&mut self, at: usize, dashed: bool) -> Option<()> {
        let last = self.open.last_mut()?;
        let owner = if dashed { last.owner } else { last.pending };
        if !dashed && owner == NONE {
            return None;
        }
        let (indent, group) = (last.indent, last.group);
        last.pending = NONE;
        self.value(at, indent, owner, group)?.then_some(())
    }

    /// Reads the value at `at`, in a mapping or sequence at `indent`; whether there was one.
    fn value(&mut self, mut at: usize, indent: usize, mut owner: u32, group: u32) -> Option<bool> {
        let end = self.line_end(at).max(at);
        while matches!(self.byte(at), b'!' | b'&') {
            let word = self.text.get(at..end)?;
            // `!Ref name` points to a value, or works it out.
            if word.starts_with(b"!") && !word.starts_with(b"!!") {
                owner = NONE;
            }
            at += word.iter().take_while(|b| !b.is_ascii_whitespace()).count();
            at = self.blanks(at).min(end);
        }
        if at >= end || self.byte(at) == b'#' && bytes::before(self.text, at).is_ascii_whitespace()
        {
            self.comment(at);
            self.next_line(at.min(end));
            return Some(false);
        }
        let behind = match self.byte(at) {
            b'"' => {
                let close = string_end(self.text, at + 1);
                self.quoted(at, close, owner, group)?
            }
            b'\'' => {
                let close = single_end(self.text, at + 1)?;
                self.quoted(at, close, owner, group)?
            }
            b'[' | b'{' => flow::read(self.text, at, owner, b':', &mut self.found)?,
            b'|' | b'>' => return self.block(at, end, indent, owner, group).map(|()| true),
            b'*' => bytes::run(self.text, at + 1, NAME, 128),
            b'@' | b'`' | b'%' | b'}' | b']' | b',' => return None,
            _ => return self.plain(at, indent, owner, group).map(|()| true),
        };
        let rest = self.blanks(behind);
        if !matches!(self.byte(rest), b'\n' | b'\r' | b'#') && rest < self.text.len() {
            return None;
        }
        self.comment(rest);
        self.next_line(rest);
        Some(true)
    }

    fn quoted(&mut self, open: usize, close: usize, owner: u32, group: u32) -> Option<usize> {
        (close < self.text.len()).then(|| {
            self.found
                .push((open + 1, close), Role::Value, Style::Quoted, owner, group);
            close + 1
        })
    }

    /// A block scalar whose header is at `at`.
    fn block(
        &mut self,
        at: usize,
        end: usize,
        indent: usize,
        owner: u32,
        group: u32,
    ) -> Option<()> {
        let header = self.text.get(at + 1..end)?;
        let marks = header
            .iter()
            .take_while(|b| matches!(b, b'+' | b'-' | b'0'..=b'9'))
            .count();
        let rest = header.get(marks..)?.trim_ascii_start();
        if marks > 2 || !matches!(rest.first(), None | Some(b'#')) {
            return None;
        }
        self.next_line(at);
        // At the top of a document a block may have no indent of its own.
        let (mut first, mut last) = (None, 0);
        while self.at < self.text.len() {
            let content = bytes::run(self.text, self.at, bytes::SPACE, LINE_BYTES);
            let stop = self.line_end(self.at);
            if stop > content || !self.text.get(self.at..stop)?.trim_ascii().is_empty() {
                if content - self.at <= indent {
                    break;
                }
                first.get_or_insert(content);
                last = stop;
            }
            self.next_line(self.at);
        }
        if let Some(first) = first {
            self.found
                .push((first, last), Role::Value, Style::Block, owner, group);
        }
        Some(())
    }

    /// A plain scalar from `at` on, with the deeper lines that go on with it.
    fn plain(&mut self, at: usize, indent: usize, owner: u32, group: u32) -> Option<()> {
        let (mut line, mut end) = (at, at);
        loop {
            let stop = self.line_end(line);
            let text = self.text.get(line..stop)?;
            let comment = text.windows(2).position(|w| matches!(w, b" #" | b"\t#"));
            let part = text.get(..comment.unwrap_or(text.len()))?.trim_ascii_end();
            if part.windows(2).any(|w| w == b": ") || part.ends_with(b":") {
                return None;
            }
            end = end.max(line + part.len());
            self.next_line(line);
            if comment.is_some() {
                break;
            }
            let content = bytes::run(self.text, self.at, bytes::SPACE, LINE_BYTES);
            let deeper = content - self.at > indent;
            if !deeper || matches!(self.byte(content), b'\n' | b'\r' | b'#' | 0) {
                break;
            }
            // `- item` below a plain scalar goes on with it only in theory.
            if self.byte(content) == b'-' && self.byte(content + 1) == b' ' {
                return None;
            }
            line = content;
        }
        self.found
            .push((at, end), Role::Value, Style::Plain, owner, group);
        Some(())
    }
}

/// Whether an unquoted key is a name rather than the start of a sentence.
fn is_name(key: &[u8]) -> bool {
    let plain = |b: &u8| {
        bytes::is(
            *b,
            ALNUM | NAME | bytes::SLASH | bytes::COLON | bytes::AT | bytes::DOLLAR,
        ) || matches!(b, b'<' | b'*' | b'~' | b'+' | b'(' | b')')
    };
    key.iter().all(plain)
        || key.split(|b| *b == b' ').count() <= 3
            && key
                .iter()
                .all(|b| *b == b' ' || bytes::is(*b, ALNUM | NAME))
            && !is_telling(key)
}

/// Whether words before a colon speak of a secret: `db password for bob`.
fn is_telling(key: &[u8]) -> bool {
    [
        &b"pass"[..],
        b"secret",
        b"token",
        b"key",
        b"pw",
        b"auth",
        b"cred",
    ]
    .iter()
    .any(|word| bytes::contains(key, word))
}
