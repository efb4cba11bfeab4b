//! A text of YAML that is being read.

use std::cell::Cell;

use crate::bytes;
use crate::structure::leaf::{NONE, Role, Structure, Style};

/// Mappings and sequences nested deeper than this make a text no YAML.
pub(super) const DEPTH: usize = 128;
/// The longest line, in bytes.
pub(super) const LINE_BYTES: usize = 1 << 20;

/// Up to this length a key is short, in bytes.
pub(super) const SHORT_BYTES: usize = 64;
/// How much text a name or a value takes at least, most often, in bytes.
const LEAF_BYTES: usize = 16;

/// A mapping or sequence that is being read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) indent: usize,
    pub(super) sequence: bool,
    pub(super) group: u32,
    /// The key of the values of a sequence.
    pub(super) owner: u32,
    /// The key of a mapping that has no value yet.
    pub(super) pending: u32,
    /// Whether the last dash of a sequence has nothing after it on its line.
    pub(super) bare_dash: bool,
}

/// A text that is being read.
pub(super) struct Reader<'t> {
    pub(super) text: &'t [u8],
    pub(super) at: usize,
    pub(super) open: Vec<Open>,
    pub(super) found: Structure,
    /// The line that was looked at last.
    line: Cell<Line>,
}

/// A line: where looking at it began, where it ends, and where its blanks at the end begin.
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

    /// The end of the line around `at`, without blanks at its end.
    pub(super) fn line_end(&self, at: usize) -> usize {
        self.line(at).trimmed.max(at)
    }

    pub(super) fn next_line(&mut self, at: usize) {
        self.at = self.line(at).end + 1;
    }

    /// The line around `at`; it is looked for once, though asked for several times.
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
        // The end of a line that is too long depends on where looking at it began.
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
