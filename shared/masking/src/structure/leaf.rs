//! Names, values and comments of a text, and where they are.

use crate::pattern::Pattern;
use crate::span::{Quoting, Span};

pub(crate) const NONE: u32 = u32::MAX;

/// What a leaf is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Key,
    Value,
    /// A comment, or a line whose name is a sentence.
    Text,
}

/// How a leaf is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Quoted,
    /// A number, a boolean or null, of JSON or TOML.
    Bare,
    /// A plain scalar of YAML on lines of its own.
    Plain,
    /// A plain scalar within `[…]` or `{…}`.
    Flow,
    /// The lines of a block scalar.
    Block,
    /// An unquoted value up to the end of its line.
    Line,
    /// Text between structures, in which nothing is known.
    Free,
}

/// A name, a value or a comment, without its quotes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) role: Role,
    pub(crate) style: Style,
    /// The key of a value, by its position; [`NONE`] for a value without one.
    pub(crate) owner: u32,
    /// The mapping around, by number.
    pub(crate) group: u32,
    /// Backslashes before a double quote at this place.
    pub(crate) slashes: u8,
    /// Whether it is known to be in quotes without a backslash in it, or not in quotes.
    pub(super) is_literal: bool,
}

/// The leaves of a text, in order and disjoint.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    pub(crate) leaves: Vec<Leaf>,
    /// Whether its assignments are those of a configuration file rather than of a program.
    pub(crate) is_configuration: bool,
    /// Whether it has `[sections]`.
    pub(crate) is_sectioned: bool,
    /// How many keys there are.
    pub(crate) keys: usize,
    pub(super) groups: u32,
    /// How many values look like collections and are none.
    pub(super) unclosed: usize,
}

impl Structure {
    /// An empty structure that takes `count` leaves without moving them.
    pub(super) fn with_room_for(count: usize) -> Self {
        Self {
            leaves: Vec::with_capacity(count),
            ..Self::default()
        }
    }

    /// A number for a further mapping.
    pub(super) fn group(&mut self) -> u32 {
        self.groups += 1;
        self.groups
    }

    /// Adds a leaf; returns its position.
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

    /// The position of the leaf around `at`.
    pub(crate) fn leaf_at(&self, at: usize) -> Option<usize> {
        let next = self.leaves.partition_point(|leaf| leaf.end <= at);
        self.leaves
            .get(next)
            .filter(|leaf| leaf.start <= at)
            .map(|_| next)
    }

    /// As [`Structure::leaf_at`], for places in ascending order: `from` is where the last one was.
    pub(crate) fn next_leaf_at(&self, from: &mut usize, at: usize) -> Option<usize> {
        while self.leaves.get(*from).is_some_and(|leaf| leaf.end <= at) {
            *from += 1;
        }
        self.leaves
            .get(*from)
            .filter(|leaf| leaf.start <= at)
            .map(|_| *from)
    }

    /// Whether each of `spans`, which are sorted, is the whole of a value.
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

    /// What remains of a claim of `start..end` for a name at `name`, leaf by leaf, and the quotes it needs, where that is known.
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
            // A line whose name is a sentence may have its value in quotes after it.
            let beside = |named: usize| {
                named == index
                    || leaf.owner as usize == named
                        && (leaf.style == Style::Line || self.keys < 2 || is_word(text, leaf))
                    || named + 1 == index
                        && leaf.owner == NONE
                        && self.leaves.get(named).is_some_and(|l| l.role == Role::Text)
            };
            if named.is_some_and(|named| !beside(named)) {
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
    /// The part of the leaf that a claim of `from..to` takes, and the quotes its replacement needs: a replacement at
    /// the start of a plain scalar would open a list.
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

/// Whether an unquoted value is one word, which is judged as in any text.
fn is_word(text: &[u8], leaf: &Leaf) -> bool {
    let value = text.get(leaf.start..leaf.end).unwrap_or_default();
    matches!(
        leaf.style,
        Style::Plain | Style::Line | Style::Flow | Style::Bare
    ) && !value.iter().any(|b| matches!(b, b' ' | b'\n'))
}

/// Whether a claim may change a key: only for what is a credential by its own shape.
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

/// What a structure says, for tests that compare two.
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
