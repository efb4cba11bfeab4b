//! State of reading a YAML text.

use std::cell::Cell;

use crate::bytes;
use crate::structure::leaf::{NONE, Role, Structure, Style};

/// Most levels of mappings and sequences. A text with more levels does not count as YAML.
pub(super) const DEPTH: usize = 128;
/// Longest line, in bytes.
pub(super) const LINE_BYTES: usize = 1 << 20;

/// Longest key that counts as short, in bytes.
pub(super) const SHORT_BYTES: usize = 64;
/// Usual minimum of text per name or value, in bytes.
const LEAF_BYTES: usize = 16;

/// A mapping or sequence that is being read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) indent: usize,
    pub(super) sequence: bool,
    pub(super) group: u32,
    /// Key of the values in a sequence.
    pub(super) owner: u32,
    /// Key of a mapping that has no value yet.
    pub(super) pending: u32,
    /// Whether nothing follows the last dash of a sequence on its line.
    pub(super) bare_dash: bool,
}

/// A text that is being read.
pub(super) struct Reader<'t> {
    pub(super) text: &'t [u8],
    pub(super) at: usize,
    pub(super) open: Vec<Open>,
    pub(super) found: Structure,
    /// The line of the last lookup.
    line: Cell<Line>,
}

/// A line: the position where the lookup began, its end, and the start of its trailing blanks.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    start: usize,
    end: usize,
    trimmed: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            found: Structure::with_room_for(text.len() / LEAF_BYTES),
            line: Cell::default(),
        }
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        bytes::at(self.text, at)
    }

    /// Returns the end of the line that contains `at`, without trailing blanks.
    pub(super) fn line_end(&self, at: usize) -> usize {
        self.line(at).trimmed.max(at)
    }

    pub(super) fn next_line(&mut self, at: usize) {
        self.at = self.line(at).end + 1;
    }

    /// Returns the line that contains `at`. Searches each line only once, even if it is requested several times.
    fn line(&self, at: usize) -> Line {
        let last = self.line.get();
        if (last.start..=last.end).contains(&at) && last.end > 0 {
            return last;
        }
        let end = bytes::line_end(self.text, at, LINE_BYTES);
        let line = self.text.get(at..end).unwrap_or_default();
        let line = Line {
            start: at,
            end,
            trimmed: at + line.trim_ascii_end().len(),
        };
        // The end of a line that is too long depends on where the lookup began.
        if end < at + LINE_BYTES {
            self.line.set(line);
        }
        line
    }

    pub(super) fn blanks(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        at + rest
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count()
    }

    pub(super) fn comment(&mut self, from: usize) {
        let end = self.line_end(from);
        if self.byte(from) == b'#' && end > from {
            self.found
                .push((from, end), Role::Text, Style::Line, NONE, 0);
        }
    }
}
