//! Reads the fields of one mapping and collects every problem.

mod collections;
mod json;
mod names;
mod values;

use std::cell::RefCell;

use crate::Resolved;
use crate::context::{Context, NamePosition};
use crate::problem::Position;
use crate::suggest;
use crate::yaml::{Key, Node, Value};

/// What the outermost mapping is called in messages.
pub(crate) const ROOT: &str = "the configuration";

/// A text with its templates filled in, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) resolved: Resolved,
    pub(crate) at: Position,
}

impl Text {
    pub(crate) fn value(&self) -> &str {
        self.resolved.value()
    }

    /// As written: fit for messages.
    pub(crate) fn shown(&self) -> &str {
        self.resolved.shown()
    }
}

/// One mapping being read. Each getter marks its key as known; [`Fields::finish`] reports
/// the keys that nobody asked for.
pub(crate) struct Fields<'a> {
    context: &'a Context<'a>,
    /// Name of the mapping in messages, e.g. ``agent `k8s` ``.
    owner: String,
    /// Where its key stands.
    key_at: Position,
    entries: &'a [(Key, Node)],
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Fields<'a> {
    /// The fields of a mapping; anything else is a problem. Keys given twice are reported.
    pub(crate) fn new(
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
            asked: RefCell::default(),
        })
    }

    pub(crate) fn context(&self) -> &'a Context<'a> {
        self.context
    }

    /// Where this mapping was named.
    pub(crate) fn key_at(&self) -> NamePosition {
        self.place(self.key_at)
    }

    /// Where the key of this mapping stands.
    pub(crate) fn position(&self) -> Position {
        self.key_at
    }

    /// Keys and values as they are written.
    pub(crate) fn entries(&self) -> &'a [(Key, Node)] {
        self.entries
    }

    /// The same mapping with other entries, for values that a short form stands for. Keys that were asked for stay known.
    pub(crate) fn with_entries<'b>(&self, entries: &'b [(Key, Node)]) -> Fields<'b>
    where
        'a: 'b,
    {
        Fields {
            context: self.context,
            owner: self.owner.clone(),
            key_at: self.key_at,
            entries,
            asked: self.asked.clone(),
        }
    }

    /// A position with this mapping as its owner.
    pub(crate) fn place(&self, at: Position) -> NamePosition {
        NamePosition {
            file: self.context.file.to_owned(),
            at,
            built_in: self.context.built_in,
            owner: self.owner.clone(),
            written: None,
        }
    }

    /// Where a name was given, and how it was written.
    pub(crate) fn place_of(&self, text: &Text) -> NamePosition {
        NamePosition {
            written: Some(text.shown().to_owned()),
            ..self.place(text.at)
        }
    }

    /// The node of a key that is set and not null.
    fn take(&self, key: &'static str) -> Option<&'a Node> {
        self.know(key);
        self.entries
            .iter()
            .find(|(k, _)| k.text == key)
            .map(|(_, node)| node)
            .filter(|node| !node.is_null())
    }

    /// Accept a key, whether it is read or not.
    pub(crate) fn know(&self, key: &'static str) {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
    }

    /// Whether the key is set and not null.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries
            .iter()
            .any(|(k, node)| k.text == key && !node.is_null())
    }

    /// Where a path such as `custom_patterns[2].pattern` leads, or as far as it does.
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

    /// Report a problem at the value of `key`, or at the mapping when it is not there.
    pub(crate) fn problem(&self, key: &str, message: String, hint: &str) {
        let at = self
            .entries
            .iter()
            .find(|(k, _)| k.text == key)
            .map_or(self.key_at, |(_, node)| node.at);
        self.context.report(at, message, Some(hint.to_owned()));
    }

    /// Report a problem of the mapping as a whole.
    pub(crate) fn problem_here(&self, message: String, hint: &str) {
        let message = format!("{}: {message}", self.owner);
        self.context
            .report(self.key_at, message, Some(hint.to_owned()));
    }

    /// Report values that exclude each other, at the first of `keys` that is written here.
    pub(crate) fn contradiction(&self, keys: &[&str], message: String, hint: &str) {
        let key = keys
            .iter()
            .find(|key| self.has(key))
            .copied()
            .unwrap_or_default();
        self.problem(key, message, hint);
    }

    /// Reports every key that no getter asked for.
    pub(crate) fn finish(&self) {
        let asked = self.asked.borrow();
        for (key, node) in self.entries {
            if !asked.contains(&key.text.as_str()) {
                let hint = match section_of(node).filter(|section| asked.contains(section)) {
                    Some(section) => {
                        format!("it looks like an entry of `{section}`: indent it below that key")
                    }
                    None => suggest::known(&key.text, &asked),
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

/// The section of the file whose entries look like this one.
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
