//! State of one round: the text, the enabled patterns, and the claims so far.

use crate::bytes;
use crate::candidate::Extent;
use crate::kind;
use crate::pattern::{Pattern, PatternSet};
use crate::span::{Label, Quoting, Span};
use crate::structure::{self, Structure};

/// Searches a decoded text for a secret. The arguments are the text, the enabled patterns, and how often it was
/// decoded.
pub(crate) type Search = fn(&str, PatternSet, u8) -> bool;

/// State that the finders of one round share.
#[derive(Debug)]
pub(crate) struct Context<'t> {
    pub(crate) text: &'t str,
    pub(crate) bytes: &'t [u8],
    pub(crate) set: PatternSet,
    pub(crate) spans: Vec<Span>,
    /// Starts and ends of service names, ascending.
    pub(crate) services: Vec<(usize, usize)>,
    /// Ends of the words that suggest a secret, ascending.
    pub(crate) words: Vec<usize>,
    /// Ends of all parts of names that may hold a secret, ascending.
    pub(crate) names: Vec<usize>,
    /// Replacements of earlier rounds, ascending.
    pub(crate) markers: Vec<(usize, usize)>,
    /// Number of decodings between the original text and this one.
    pub(crate) depth: u8,
    /// Positions of keys and values, if the text has a structure. Read when first needed.
    pub(crate) structure: Option<Structure>,
    /// Whether the structure was already read.
    is_read: bool,
    /// Whether the values of the structure were already judged together with their names.
    pub(crate) is_judged: bool,
    /// Whether some name is a stronger hint if the name of a user appears shortly before it.
    pub(crate) is_below_user: bool,
    /// Whether a name that may hold a secret was seen.
    pub(crate) has_secret_name: bool,
    /// Whether the text shows commands after prompts.
    pub(crate) is_session: bool,
    /// Position up to which rows of tables with bars were scanned.
    pub(crate) bars: usize,
    /// Position up to which rows of separated values were scanned.
    pub(crate) rows: usize,
    /// Start of the name for which values are being claimed.
    pub(crate) name: Option<usize>,
    /// Search function for decoded texts.
    pub(crate) search: Search,
}

impl<'t> Context<'t> {
    pub(crate) const fn new(text: &'t str, set: PatternSet, depth: u8, search: Search) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            set,
            spans: Vec::new(),
            services: Vec::new(),
            words: Vec::new(),
            names: Vec::new(),
            markers: Vec::new(),
            depth,
            structure: None,
            // A decoded text is scanned as a whole.
            is_read: depth > 0,
            is_judged: false,
            is_below_user: false,
            has_secret_name: false,
            is_session: false,
            bars: 0,
            rows: 0,
            name: None,
            search,
        }
    }

    /// Records a replacement of an earlier round. No claim may touch it, except one that covers all of it and more.
    pub(crate) fn marker(&mut self, start: usize) {
        if let Some(end) = kind::marker_end(self.bytes, start) {
            self.markers.push((start, end));
        }
    }

    /// Whether `start..end` is inside a replacement of an earlier round. Words in a replacement do not name a value.
    pub(crate) fn is_in_marker(&self, start: usize, end: usize) -> bool {
        let next = self.markers.partition_point(|(_, to)| *to <= start);
        let around = self.markers.get(next);
        around.is_some_and(|(from, to)| *from <= start && end <= *to)
    }

    /// Claims `start..end` for `pattern`, if that pattern is enabled.
    pub(crate) fn claim(&mut self, start: usize, end: usize, pattern: Pattern) {
        self.claim_quoted(start, end, pattern, Quoting::None);
    }

    /// Same as [`Context::claim`], with the quotes that the replacement needs.
    pub(crate) fn claim_quoted(
        &mut self,
        start: usize,
        end: usize,
        pattern: Pattern,
        quoting: Quoting,
    ) {
        if self.set.has(pattern) && !self.touches_marker(start, end) {
            self.fit(start, end, pattern, quoting);
        }
    }

    /// Claims a match of a custom pattern.
    pub(crate) fn claim_custom(&mut self, start: usize, end: usize, label: Label) {
        if !self.touches_marker(start, end) {
            self.push(start, end, label, Quoting::None);
        }
    }

    /// Reads the structure, once.
    pub(crate) fn read_structure(&mut self) {
        if !self.is_read {
            self.is_read = true;
            self.structure = structure::read(self.bytes);
        }
    }

    /// Claims those parts of `start..end` that are values.
    fn fit(&mut self, start: usize, end: usize, pattern: Pattern, quoting: Quoting) {
        let label = Label::BuiltIn(pattern);
        self.read_structure();
        // A separate reader finds the values of a Secret.
        let structure = match self.structure.take() {
            Some(structure) if pattern != Pattern::KubernetesSecret => structure,
            other => {
                self.structure = other;
                return self.push(start, end, label, self.quoting(start, end, quoting));
            }
        };
        structure.fit(
            self.bytes,
            (start, end),
            self.name,
            pattern,
            |from, to, known| {
                let quoting = known.unwrap_or_else(|| self.quoting(from, to, quoting));
                self.push(from, to, label, quoting);
            },
        );
        self.structure = Some(structure);
    }

    /// Returns the quotes that a replacement of `start..end` needs if no structure determines them.
    fn quoting(&self, start: usize, end: usize, quoting: Quoting) -> Quoting {
        match quoting {
            Quoting::None if self.is_plain_value(start, end) => Quoting::Double(0),
            _ => quoting,
        }
    }

    /// Whether `start..end` is the whole value of a key or a dash on a YAML line. There, an unquoted `[` would open a
    /// list.
    fn is_plain_value(&self, start: usize, end: usize) -> bool {
        if self.depth > 0 || !matches!(bytes::at(self.bytes, end), b'\n' | b'\r' | 0) {
            return false;
        }
        let head = self
            .bytes
            .get(start.saturating_sub(128)..start)
            .unwrap_or_default();
        let line = head.rsplit(|b| *b == b'\n').next().unwrap_or_default();
        let above = self.bytes.len() > end + 1 || line.len() < start;
        let lead = line.trim_ascii_start();
        let key = lead.strip_prefix(b"- ").unwrap_or(lead).strip_suffix(b": ");
        let keyed = key.is_some_and(|key| !key.is_empty() && bytes::all(key, bytes::NAME));
        above && line.len() < 128 && (keyed || lead == b"- ")
    }

    /// Claims a whole value even if parts of it are already masked, unless the value is exactly one marker.
    pub(crate) fn claim_whole(
        &mut self,
        start: usize,
        end: usize,
        pattern: Pattern,
        quoting: Quoting,
    ) {
        let is_marker = self.markers.binary_search(&(start, end)).is_ok();
        if self.set.has(pattern) && !is_marker {
            self.push(start, end, Label::BuiltIn(pattern), quoting);
        }
    }

    /// Claims a value for its name. If a part of it is already masked, claims all of it.
    pub(crate) fn claim_value(&mut self, pattern: Pattern, extent: &Extent) {
        if self.touches_marker(extent.start, extent.end) {
            self.claim_whole(extent.start, extent.end, pattern, extent.quoting);
        } else {
            self.claim_quoted(extent.start, extent.end, pattern, extent.quoting);
        }
    }

    /// Whether `start..end` overlaps a replacement of an earlier round.
    pub(crate) fn touches_marker(&self, start: usize, end: usize) -> bool {
        let next = self.markers.partition_point(|(_, to)| *to <= start);
        self.markers.get(next).is_some_and(|(from, _)| *from < end)
    }

    fn push(&mut self, mut start: usize, mut end: usize, label: Label, quoting: Quoting) {
        while start > 0 && !self.text.is_char_boundary(start) {
            start -= 1;
        }
        end = end.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        if start < end {
            self.spans.push(Span {
                start,
                end,
                label,
                quoting,
            });
        }
    }
}
