//! Names, values and comments of a text, and their positions.

use crate::pattern::Pattern;
use crate::span::{Quoting, Span};

pub(crate) const NONE: u32 = u32::MAX;

/// Role of a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Key,
    Value,
    /// A comment, or a line whose name is a sentence.
    Text,
}

/// Notation of a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Quoted,
    /// A number, a boolean or null in JSON or TOML.
    Bare,
    /// A plain YAML scalar on its own lines.
    Plain,
    /// A plain scalar inside `[…]` or `{…}`.
    Flow,
    /// The lines of a block scalar.
    Block,
    /// An unquoted value that extends to the end of its line.
    Line,
    /// Text between structures, about which nothing is known.
    Free,
}

/// A name, a value or a comment, without its quotes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) role: Role,
    pub(crate) style: Style,
    /// Index of the key of a value; [`NONE`] for a value without a key.
    pub(crate) owner: u32,
    /// Number of the mapping that contains it.
    pub(crate) group: u32,
    /// Number of backslashes before a double quote at this position.
    pub(crate) slashes: u8,
    /// Whether it is known to be unquoted, or in quotes without a backslash.
    pub(super) is_literal: bool,
}

/// The leaves of a text, in order and without overlaps.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    pub(crate) leaves: Vec<Leaf>,
    /// Whether its assignments look like those of a configuration file, and not of a program.
    pub(crate) is_configuration: bool,
    /// Whether it has `[sections]`.
    pub(crate) is_sectioned: bool,
    /// Number of keys.
    pub(crate) keys: usize,
    pub(super) groups: u32,
    /// Number of values that look like collections but are none.
    pub(super) unclosed: usize,
}

impl Structure {
    /// Creates an empty structure with room for `count` leaves.
    pub(super) fn with_room_for(count: usize) -> Self {
        Self {
            leaves: Vec::with_capacity(count),
            ..Self::default()
        }
    }

    /// Returns a number for a new mapping.
    pub(super) fn group(&mut self) -> u32 {
        self.groups += 1;
        self.groups
    }

    /// Adds a leaf. Returns its index.
    pub(super) fn push(
        &mut self,
        (start, end): (usize, usize),
        role: Role,
        style: Style,
        owner: u32,
        group: u32,
    ) -> u32 {
        let at = u32::try_from(self.leaves.len()).unwrap_or(NONE);
        self.leaves.push(Leaf {
            start,
            end: end.max(start),
            role,
            style,
            owner,
            group,
            slashes: 0,
            is_literal: false,
        });
        at
    }

    /// Returns the index of the leaf at the position `at`.
    pub(crate) fn leaf_at(&self, at: usize) -> Option<usize> {
        let next = self.leaves.partition_point(|leaf| leaf.end <= at);
        self.leaves
            .get(next)
            .filter(|leaf| leaf.start <= at)
            .map(|_| next)
    }

    /// Same as [`Structure::leaf_at`], for ascending positions. `from` is the index at which the last search ended.
    pub(crate) fn next_leaf_at(&self, from: &mut usize, at: usize) -> Option<usize> {
        while self.leaves.get(*from).is_some_and(|leaf| leaf.end <= at) {
            *from += 1;
        }
        self.leaves
            .get(*from)
            .filter(|leaf| leaf.start <= at)
            .map(|_| *from)
    }

    /// Whether each of `spans` is exactly one value. The spans are sorted.
    pub(crate) fn has_values(&self, spans: &[Span]) -> bool {
        let mut near = 0;
        spans.iter().all(|span| {
            let leaf = self
                .next_leaf_at(&mut near, span.start)
                .and_then(|at| self.leaves.get(at));
            leaf.is_some_and(|leaf| {
                leaf.role == Role::Value && (leaf.start, leaf.end) == (span.start, span.end)
            })
        })
    }

    /// Splits a claim of `start..end`, for a name at `name`, into the leaves that it may cover. Calls `found` with each
    /// part and the quotes that it needs, if they are known.
    pub(crate) fn fit(
        &self,
        text: &[u8],
        (start, end): (usize, usize),
        name: Option<usize>,
        pattern: Pattern,
        mut found: impl FnMut(usize, usize, Option<Quoting>),
    ) {
        let named = name.and_then(|at| self.leaf_at(at));
        let first = self.leaves.partition_point(|leaf| leaf.end <= start);
        for (index, leaf) in self.leaves.iter().enumerate().skip(first) {
            if leaf.start >= end {
                break;
            }
            // If a line's name is a sentence, its value may be in quotes after it.
            let belongs_to = |named: usize| {
                named == index
                    || leaf.owner as usize == named
                        && (leaf.style == Style::Line || self.keys < 2 || is_word(text, leaf))
                    || named + 1 == index
                        && leaf.owner == NONE
                        && self.leaves.get(named).is_some_and(|l| l.role == Role::Text)
            };
            if named.is_some_and(|named| !belongs_to(named)) {
                continue;
            }
            let (from, to) = (leaf.start.max(start), leaf.end.min(end));
            let within = leaf.start <= start && end <= leaf.end;
            if from >= to || leaf.role == Role::Key && !(within && masks_keys(pattern)) {
                continue;
            }
            let (from, to, quoting) = leaf.cut(text, from, to);
            found(from, to, (leaf.style != Style::Free).then_some(quoting));
        }
    }
}

impl Leaf {
    /// Returns the part of the leaf that a claim of `from..to` covers, and the quotes of its replacement. Without
    /// quotes, a replacement at the start of a plain scalar would open a list.
    pub(crate) fn cut(&self, text: &[u8], from: usize, to: usize) -> (usize, usize, Quoting) {
        let quotes = Quoting::Double(self.slashes);
        let head = text.get(self.start..from).unwrap_or_default();
        if self.role == Role::Text
            && self.style != Style::Free
            && to == self.end
            && head.ends_with(b": ")
            && !head.starts_with(b"#")
        {
            return (from, to, quotes);
        }
        match self.style {
            Style::Line
                if from == self.start && self.role == Role::Value && is_word(text, self) =>
            {
                (from, self.end, Quoting::None)
            }
            Style::Bare | Style::Flow => (self.start, self.end, quotes),
            Style::Plain if from == self.start => (self.start, self.end, quotes),
            _ => (from, to, Quoting::None),
        }
    }
}

/// Whether an unquoted value is one word. Such a value is judged as in any text.
fn is_word(text: &[u8], leaf: &Leaf) -> bool {
    let value = text.get(leaf.start..leaf.end).unwrap_or_default();
    matches!(
        leaf.style,
        Style::Plain | Style::Line | Style::Flow | Style::Bare
    ) && !value.iter().any(|b| matches!(b, b' ' | b'\n'))
}

/// Whether a claim may change a key. It may only if the credential is recognised by its own form.
const fn masks_keys(pattern: Pattern) -> bool {
    use Pattern as P;
    !matches!(
        pattern,
        P::KubernetesSecret
            | P::AwsAccountId
            | P::Password
            | P::ApiKey
            | P::Secret
            | P::Token
            | P::Encoded
            | P::VendorToken
            | P::HighEntropy
            | P::SaasToken
            | P::Base64Secret
            | P::Base64Short
            | P::Email
            | P::Ipv4
            | P::Ipv6
            | P::MacAddress
            | P::PrivateHostname
    )
}

/// Converts a structure to text, for tests that compare two structures.
#[cfg(test)]
pub(super) fn shown(found: Option<Structure>) -> Option<Vec<String>> {
    let leaf = |leaf: Leaf| {
        let leaf = Leaf {
            is_literal: false,
            ..leaf
        };
        format!("{leaf:?}")
    };
    let about = |found: &Structure| format!("{} {}", found.groups, found.is_configuration);
    found.map(|found| {
        std::iter::once(about(&found))
            .chain(found.leaves.into_iter().map(leaf))
            .collect()
    })
}
