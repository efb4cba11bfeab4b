//! Reads the fields of one section and collects every problem.

mod collections;
mod json;
mod names;
pub(crate) mod scalars;
pub(crate) mod section;

pub(crate) use self::collections::{ByName, Entries, List, Texts};
pub(crate) use self::json::Anything;
pub(crate) use self::scalars::{
    Flag, Length, Number, Variable, Verbatim, Whole, Word, choice, inlined,
};
pub(crate) use self::section::{Field, FieldValue, Required, Section, section};

use crate::Resolved;
use crate::context::{Context, NamePosition};
use crate::problem::Position;
use crate::suggest;
use crate::yaml::{Key, Node, Value, entry};

/// Keys that only some kinds of a section have, each with the words of these kinds.
pub(crate) type KeysOfKinds = [(&'static str, &'static [&'static str])];

/// Name of the outermost section in messages.
pub(crate) const ROOT: &str = "the configuration";

/// A text with its templates filled in, and its position.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) resolved: Resolved,
    pub(crate) at: Position,
}

impl Text {
    pub(crate) fn value(&self) -> &str {
        self.resolved.value()
    }

    pub(crate) fn into_string(self) -> String {
        self.value().to_owned()
    }

    /// The text as written, which messages may show.
    pub(crate) fn shown(&self) -> &str {
        self.resolved.shown()
    }
}

/// One section while it is read.
pub(crate) struct Fields<'a> {
    context: &'a Context<'a>,
    /// Name of the section in messages, e.g. ``agent `k8s` ``.
    owner: String,
    /// Position of the section's key.
    key_at: Position,
    entries: &'a [(Key, Node)],
}

impl<'a> Fields<'a> {
    /// Returns the fields of a section. Any other node is reported as a problem, and so are unknown and duplicate keys.
    pub(crate) fn new<S: Section>(
        context: &'a Context<'a>,
        owner: String,
        key_at: Position,
        node: &'a Node,
    ) -> Option<Self> {
        let fields = Self::with_free_keys(context, owner, key_at, node)?;
        fields.refuse_unknown(S::NAMES);
        Some(fields)
    }

    /// Returns the fields of a mapping whose keys are names that a person chooses.
    fn with_free_keys(
        context: &'a Context<'a>,
        owner: String,
        key_at: Position,
        node: &'a Node,
    ) -> Option<Self> {
        let entries: &[(Key, Node)] = match &node.value {
            Value::Map(entries) => entries,
            _ if node.is_null() => &[],
            _ => {
                let message = format!("{owner} must be a mapping, not {}", node.kind());
                context.report(node.at, message, None);
                return None;
            }
        };
        for (index, (key, _)) in entries.iter().enumerate() {
            if let Some((first, _)) = entries[..index].iter().find(|(k, _)| k.text == key.text) {
                let hint = format!("the first is on line {}", first.at.line);
                context.report(
                    key.at,
                    format!("duplicate key `{}` in {owner}", key.text),
                    Some(hint),
                );
            }
        }
        Some(Self {
            context,
            owner,
            key_at,
            entries,
        })
    }

    pub(crate) fn context(&self) -> &'a Context<'a> {
        self.context
    }

    /// Returns the position of this section's key, with its owner.
    pub(crate) fn key_at(&self) -> NamePosition {
        self.place(self.key_at)
    }

    /// Returns the position of this section's key.
    pub(crate) fn position(&self) -> Position {
        self.key_at
    }

    /// Returns the keys and values as written.
    pub(crate) fn entries(&self) -> &'a [(Key, Node)] {
        self.entries
    }

    /// Returns the same section with other entries, to expand a short form.
    pub(crate) fn with_entries<'b>(&self, entries: &'b [(Key, Node)]) -> Fields<'b>
    where
        'a: 'b,
    {
        Fields {
            context: self.context,
            owner: self.owner.clone(),
            key_at: self.key_at,
            entries,
        }
    }

    /// A position with this section as its owner.
    pub(crate) fn place(&self, at: Position) -> NamePosition {
        NamePosition {
            file: self.context.file.to_owned(),
            at,
            built_in: self.context.built_in,
            owner: self.owner.clone(),
            written: None,
        }
    }

    /// Returns the position of a name, and how it was written.
    pub(crate) fn place_of(&self, text: &Text) -> NamePosition {
        NamePosition {
            written: Some(text.shown().to_owned()),
            ..self.place(text.at)
        }
    }

    /// Reads a field. Returns `None` if its key is missing or null, and after a problem was reported.
    pub(crate) fn get<T: FieldValue>(&self, field: Field<T>) -> Option<T::Read<'a>> {
        T::read(self, field.name())
    }

    /// Like [`Fields::get`], but reports a missing key as a problem, with `why` as the hint.
    pub(crate) fn require<T: FieldValue>(&self, field: Field<T>, why: &str) -> Option<T::Read<'a>> {
        if !self.has(field) {
            self.problem_here(format!("`{field}` is missing"), why);
        }
        self.get(field)
    }

    /// Returns the node of a key that is set and not null.
    fn node(&self, key: &str) -> Option<&'a Node> {
        entry(self.entries, key)
    }

    /// Whether the key is set and not null.
    pub(crate) fn has(&self, key: impl AsRef<str>) -> bool {
        self.node(key.as_ref()).is_some()
    }

    /// Returns the position of a path such as `custom_patterns[2].pattern`, or of the part of it that exists.
    pub(crate) fn position_of(&self, path: &str) -> Position {
        let mut at = self.key_at;
        let mut entries = self.entries;
        for segment in path.split('.') {
            let (key, index) = match segment.trim_end_matches(']').split_once('[') {
                Some((key, index)) => (key, index.parse::<usize>().ok()),
                None => (segment, None),
            };
            let Some(mut node) = entries
                .iter()
                .find(|(k, _)| k.text == key)
                .map(|(_, node)| node)
            else {
                break;
            };
            if let (Value::List(items), Some(index)) = (&node.value, index)
                && let Some(item) = items.get(index)
            {
                node = item;
            }
            at = node.at;
            match &node.value {
                Value::Map(inner) => entries = inner,
                _ => break,
            }
        }
        at
    }

    /// Reports a problem at the value of `key`, or at the section if the key is missing.
    pub(crate) fn problem(&self, key: impl AsRef<str>, message: String, hint: &str) {
        let at = self
            .entries
            .iter()
            .find(|(k, _)| k.text == key.as_ref())
            .map_or(self.key_at, |(_, node)| node.at);
        self.context.report(at, message, Some(hint.to_owned()));
    }

    /// Reports a problem with the section as a whole.
    pub(crate) fn problem_here(&self, message: String, hint: &str) {
        let message = format!("{}: {message}", self.owner);
        self.context
            .report(self.key_at, message, Some(hint.to_owned()));
    }

    /// Reports values that exclude each other, at the first of `keys` that is set here.
    pub(crate) fn contradiction(&self, keys: &[&str], message: String, hint: &str) {
        let key = keys
            .iter()
            .find(|key| self.has(key))
            .copied()
            .unwrap_or_default();
        self.problem(key, message, hint);
    }

    /// Reports keys that belong to other kinds of the section. `what` is the section, e.g. `a stage`, and `selector` is
    /// the key that chooses its kind.
    pub(crate) fn refuse_keys_of_others(
        &self,
        what: &str,
        selector: impl AsRef<str>,
        kind: &str,
        table: &KeysOfKinds,
    ) {
        let selector = selector.as_ref();
        for (key, kinds) in table {
            if kinds.contains(&kind) || !self.has(key) {
                continue;
            }
            let of_key = kinds.join(&format!("`, `{selector}: "));
            let mut hint = format!("`{key}` is for `{selector}: {of_key}`");
            if !self.has(selector) {
                hint = format!("{hint}; without `{selector}`, {what} is of {selector} `{kind}`");
            }
            let message = format!("{what} of {selector} `{kind}` has no `{key}`");
            self.problem(key, message, &hint);
        }
    }

    /// Reports every key that is not one of `known`.
    fn refuse_unknown(&self, known: &[&str]) {
        for (key, node) in self.entries {
            if !known.contains(&key.text.as_str()) {
                let hint = match section_of(node).filter(|section| known.contains(section)) {
                    Some(section) => {
                        format!("it looks like an entry of `{section}`: indent it below that key")
                    }
                    None => suggest::known(&key.text, known),
                };
                self.context.report(
                    key.at,
                    format!("unknown key `{}` in {}", key.text, self.owner),
                    Some(hint),
                );
            }
        }
    }
}

/// Returns the section of the file whose entries look like this one.
fn section_of(node: &Node) -> Option<&'static str> {
    let Value::Map(entries) = &node.value else {
        return None;
    };
    let has = |name: &str| entries.iter().any(|(key, _)| key.text == name);
    [
        ("stages", "agent_chains"),
        ("connection_params", "mcp_servers"),
        ("custom_instructions", "agents"),
    ]
    .into_iter()
    .find_map(|(key, section)| has(key).then_some(section))
}
