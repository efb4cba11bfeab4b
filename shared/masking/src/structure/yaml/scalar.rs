//! YAML scalars: quoted, plain, block, flow.

use crate::bytes::{self, NAME};
use crate::structure::flow::{self, single_end};
use crate::structure::json::string_end;
use crate::structure::leaf::{NONE, Role, Style};
use crate::structure::yaml::reader::{LINE_BYTES, Reader};

impl Reader<'_> {
    /// Reads the value at `at` in a mapping or sequence at `indent`. Returns whether there was one.
    pub(super) fn value(
        &mut self,
        mut at: usize,
        indent: usize,
        mut owner: u32,
        group: u32,
    ) -> Option<bool> {
        let end = self.line_end(at).max(at);
        while matches!(self.byte(at), b'!' | b'&') {
            let word = self.text.get(at..end)?;
            // `!Ref name` refers to a value, or computes it.
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
        let after = match self.byte(at) {
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
        let rest = self.blanks(after);
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

    /// Reads a block scalar whose header is at `at`.
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
        // At the top level of a document, a block may have no indentation.
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

    /// Reads a plain scalar at `at`, with the deeper lines that continue it.
    fn plain(&mut self, at: usize, indent: usize, owner: u32, group: u32) -> Option<()> {
        let (mut line, mut end) = (at, at);
        loop {
            let stop = self.line_end(line);
            let text = self.text.get(line..stop)?;
            let mut comment = None;
            for mark in memchr::memchr2_iter(b'#', b':', text) {
                let blank = |b: u8| matches!(b, b' ' | b'\t');
                if bytes::at(text, mark) == b':' {
                    let rest = text.get(mark + 1..)?;
                    if rest.is_empty() || rest.starts_with(b" ") || is_comment(rest) {
                        return None;
                    }
                } else if blank(bytes::before(text, mark)) {
                    comment = Some(mark);
                    break;
                }
            }
            let part = text.get(..comment.unwrap_or(text.len()))?.trim_ascii_end();
            end = end.max(line + part.len());
            self.next_line(line);
            if comment.is_some() {
                break;
            }
            // Usually the next line is not deeper, and one check shows that.
            if self.byte(self.at + indent) != b' ' {
                break;
            }
            let content = bytes::run(self.text, self.at, bytes::SPACE, LINE_BYTES);
            let deeper = content - self.at > indent;
            if !deeper || matches!(self.byte(content), b'\n' | b'\r' | b'#' | 0) {
                break;
            }
            // In theory, `- item` below a plain scalar continues it.
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

/// Whether the text is blanks followed by a comment.
fn is_comment(rest: &[u8]) -> bool {
    let lead = rest.trim_ascii_start();
    lead.len() < rest.len() && lead.starts_with(b"#")
}
