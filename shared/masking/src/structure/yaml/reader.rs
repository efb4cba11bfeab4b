//! A text of YAML that is being read.

use crate::bytes;
use crate::structure::leaf::{NONE, Role, Structure, Style};

/// Mappings and sequences nested deeper than this make a text no YAML.
pub(super) const DEPTH: usize = 128;
/// The longest line, in bytes.
pub(super) const LINE_BYTES: usize = 1 << 20;

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
    /// Whether the last dash of a sequence has nothing behind it on its line.
    pub(super) bare_dash: bool,
}

/// A text that is being read.
pub(super) struct Reader<'t> {
    pub(super) text: &'t [u8],
    pub(super) at: usize,
    pub(super) open: Vec<Open>,
    pub(super) found: Structure,
}

impl Reader<'_> {
    pub(super) fn byte(&self, at: usize) -> u8 {
        bytes::at(self.text, at)
    }

    /// The end of the line around `at`, without blanks at its end.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let end = bytes::line_end(self.text, at, LINE_BYTES);
        let line = self.text.get(at..end).unwrap_or_default();
        at + line.trim_ascii_end().len()
    }

    pub(super) fn next_line(&mut self, at: usize) {
        self.at = bytes::line_end(self.text, at, LINE_BYTES) + 1;
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
