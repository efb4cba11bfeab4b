//! Splits text into records, in bounded memory and with exact line numbers.
//!
//! A record ends with a line that is not inside a quoted cell. Without precautions, a quote that is never closed would
//! swallow the rest of the file. Here only the line that opens it is rejected.

use std::io::Read;
use std::ops::Range;

/// Longest record, in bytes. Longer ones are rejected.
pub(crate) const MAX_RECORD_BYTES: usize = 1024 * 1024;

const READ_BYTES: usize = 256 * 1024;

/// A piece of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A record without its line end, as a range in [`Splitter::bytes`], and its number of lines.
    Record {
        bytes: Range<usize>,
        line: u64,
        lines: u64,
        /// Whether text follows the closing quote of a cell.
        has_trailing_text: bool,
    },
    /// A line that is not a record, and the reason.
    Broken {
        bytes: Range<usize>,
        line: u64,
        reason: &'static str,
    },
}

/// Splits the text of a reader into records.
pub(crate) struct Splitter<R> {
    inner: R,
    buffer: Vec<u8>,
    /// Start of the next record in the buffer.
    next: usize,
    /// Line number of the next record, from 1.
    line: u64,
    is_at_end: bool,
    /// Delimiter of quoted cells; `None`: each line is a record.
    quoted: Option<u8>,
    /// Start of the latest record, end of its first line, and its line number.
    latest: (usize, usize, u64),
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    CellStart,
    Plain,
    Quoted,
    QuoteInQuoted,
}

impl<R: Read> Splitter<R> {
    /// Creates a splitter for `inner`. `quoted` is the delimiter, if cells may be quoted.
    pub(crate) const fn new(inner: R, quoted: Option<u8>) -> Self {
        Self {
            inner,
            buffer: Vec::new(),
            next: 0,
            line: 1,
            is_at_end: false,
            quoted,
            latest: (0, 0, 1),
        }
    }

    /// Returns the bytes of the range of the latest piece.
    pub(crate) fn bytes(&self, range: Range<usize>) -> &[u8] {
        self.buffer.get(range).unwrap_or_default()
    }

    /// Keeps only the first line of the latest record. The rest is split again.
    pub(crate) const fn keep_first_line_only(&mut self) {
        let (_, end, line) = self.latest;
        self.next = end;
        self.line = line + 1;
    }

    /// Returns the next record or broken line; `None` at the end.
    pub(crate) fn next(&mut self) -> std::io::Result<Option<Piece>> {
        if self.next > READ_BYTES {
            self.buffer.drain(..self.next);
            self.next = 0;
        }
        let begin = self.next;
        let mut at = begin;
        let mut state = State::CellStart;
        let mut lines = 0;
        let mut first_line_end = None;
        let mut has_trailing_text = false;
        loop {
            while at < self.buffer.len() {
                let byte = self.buffer[at];
                at += 1;
                if byte == b'\n' {
                    lines += 1;
                    first_line_end.get_or_insert(at);
                    if state != State::Quoted {
                        return Ok(Some(self.record(
                            begin,
                            at,
                            (lines, has_trailing_text),
                            first_line_end,
                        )));
                    }
                } else if let Some(delimiter) = self.quoted {
                    let before = state;
                    state = after(state, byte, delimiter);
                    has_trailing_text |=
                        before == State::QuoteInQuoted && state == State::Plain && byte != b'\r';
                }
            }
            if at - begin > MAX_RECORD_BYTES {
                return self.overlong(begin, first_line_end);
            }
            if !self.fill()? {
                break;
            }
        }
        if begin == self.buffer.len() {
            return Ok(None);
        }
        if state == State::Quoted {
            return Ok(Some(self.broken(
                begin,
                first_line_end.unwrap_or(at),
                UNCLOSED,
            )));
        }
        Ok(Some(self.record(
            begin,
            at,
            (lines + 1, has_trailing_text),
            first_line_end,
        )))
    }

    fn record(
        &mut self,
        begin: usize,
        end: usize,
        (lines, has_trailing_text): (u64, bool),
        first: Option<usize>,
    ) -> Piece {
        let line = self.line;
        self.latest = (begin, first.unwrap_or(end), line);
        self.next = end;
        self.line += lines;
        let bytes = begin..self.without_line_end(begin, end);
        Piece::Record {
            bytes,
            line,
            lines,
            has_trailing_text,
        }
    }

    fn broken(&mut self, begin: usize, end: usize, reason: &'static str) -> Piece {
        let line = self.line;
        self.next = end;
        self.line += 1;
        let bytes = begin..self.without_line_end(begin, end);
        Piece::Broken {
            bytes,
            line,
            reason,
        }
    }

    fn without_line_end(&self, begin: usize, mut end: usize) -> usize {
        for byte in [b'\n', b'\r'] {
            if end > begin && self.buffer.get(end - 1) == Some(&byte) {
                end -= 1;
            }
        }
        end
    }

    /// Rejects a record that is too long: the line with an unclosed quote, or a single long line, which is skipped.
    fn overlong(&mut self, begin: usize, first: Option<usize>) -> std::io::Result<Option<Piece>> {
        if let Some(end) = first {
            return Ok(Some(self.broken(begin, end, UNCLOSED)));
        }
        let kept = begin..begin + 200;
        loop {
            self.buffer.truncate(kept.end);
            if !self.fill()? {
                break;
            }
            let found = self.buffer[kept.end..]
                .iter()
                .position(|byte| *byte == b'\n');
            if let Some(found) = found {
                self.buffer.drain(kept.end..kept.end + found);
                break;
            }
        }
        let end = (kept.end + 1).min(self.buffer.len());
        Ok(Some(self.broken(
            begin,
            end,
            "the line is longer than 1 MiB",
        )))
    }

    /// Reads more input. Returns false at the end of the file.
    fn fill(&mut self) -> std::io::Result<bool> {
        if self.is_at_end {
            return Ok(false);
        }
        let begin = self.buffer.len();
        self.buffer.resize(begin + READ_BYTES, 0);
        let read = loop {
            match self.inner.read(&mut self.buffer[begin..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let count = *read.as_ref().unwrap_or(&0);
        self.buffer.truncate(begin + count);
        self.is_at_end = read? == 0;
        Ok(!self.is_at_end)
    }
}

const UNCLOSED: &str = "a quote is opened and not closed within 1 MiB";

/// Returns the state after a byte. As in the CSV parser, a quote opens a cell only at its start.
const fn after(state: State, byte: u8, delimiter: u8) -> State {
    match (state, byte) {
        (State::Quoted, b'"') => State::QuoteInQuoted,
        (State::CellStart, b'"') | (State::QuoteInQuoted, b'"') | (State::Quoted, _) => {
            State::Quoted
        }
        (_, byte) if byte == delimiter => State::CellStart,
        _ => State::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, Splitter};

    fn split(text: &[u8], quoted: bool) -> Vec<(u64, String, bool)> {
        let mut splitter = Splitter::new(text, quoted.then_some(b','));
        let mut found = Vec::new();
        while let Some(piece) = splitter.next().unwrap() {
            let (bytes, line, is_record) = match piece {
                Piece::Record { bytes, line, .. } => (bytes, line, true),
                Piece::Broken { bytes, line, .. } => (bytes, line, false),
            };
            let text = String::from_utf8_lossy(splitter.bytes(bytes)).into_owned();
            found.push((line, text, is_record));
        }
        found
    }

    #[test]
    fn records_span_lines_inside_quotes() {
        let found = split(b"a,\"b\nc\",d\r\ne,5\" disk,f\n\n\"x\"\"\n\"", true);
        let shown: Vec<_> = found
            .iter()
            .map(|(line, text, ok)| (*line, text.as_str(), *ok))
            .collect();
        assert_eq!(
            shown,
            [
                (1, "a,\"b\nc\",d", true),
                (3, "e,5\" disk,f", true),
                (4, "", true),
                (5, "\"x\"\"\n\"", true)
            ]
        );
        assert_eq!(split(b"{\"a\n\"b\"", false).len(), 2);
    }

    #[test]
    fn an_unclosed_quote_costs_its_line_alone() {
        let found = split(b"a,b\n1,\"x\n2,y\n3,z\n", true);
        let shown: Vec<_> = found.iter().map(|(line, _, ok)| (*line, *ok)).collect();
        assert_eq!(shown, [(1, true), (2, false), (3, true), (4, true)]);
        // The same, with more text after it than is searched.
        let mut text = b"1,\"x\n".to_vec();
        text.extend(b"2,y\n".repeat(600_000));
        let found = split(&text, true);
        assert_eq!(found.len(), 600_001);
        assert!(!found[0].2 && found[1..].iter().all(|(_, _, ok)| *ok));
        assert_eq!(found[600_000].0, 600_001);
    }

    #[test]
    fn a_line_of_any_length_is_skipped_in_bounded_memory() {
        let mut text = b"a\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', 5_000_000));
        text.extend(b"\nb\n");
        let mut splitter = Splitter::new(text.as_slice(), Some(b','));
        let mut lines = Vec::new();
        let mut most = 0;
        while let Some(piece) = splitter.next().unwrap() {
            most = most.max(splitter.buffer.capacity());
            lines.push(match piece {
                Piece::Record { line, .. } => (line, true),
                Piece::Broken { line, .. } => (line, false),
            });
        }
        assert_eq!(lines, [(1, true), (2, false), (3, true)]);
        assert!(most < 4 * 1024 * 1024, "{most}");
    }

    #[test]
    fn lines_can_be_given_back() {
        let mut splitter = Splitter::new(&b"1,\"x\n2,\"y\n3,z\n"[..], Some(b','));
        let Some(Piece::Record { lines: 2, .. }) = splitter.next().unwrap() else {
            panic!("a record of two lines");
        };
        splitter.keep_first_line_only();
        let Some(Piece::Broken { line: 2, .. }) = splitter.next().unwrap() else {
            panic!("the second line is split anew");
        };
        let Some(Piece::Record {
            line: 3, lines: 1, ..
        }) = splitter.next().unwrap()
        else {
            panic!("the third line");
        };
    }
}
