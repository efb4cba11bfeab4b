//! YAML as a tree that keeps the position of each node.
//!
//! It is built from parser events and not by serde. A serde visitor stops at the first mistake, loses positions, and is
//! called only after aliases are expanded (docs/decisions/0002-yaml.md).

use granit_parser::{Event, Marker, Parser, ScalarStyle};

use crate::problem::Position;

/// Largest configuration file, in bytes. A real file has a few kilobytes. The bound limits the work that a malicious
/// file can cause.
pub(crate) const MAX_BYTES: usize = 256 * 1024;

/// Deepest nesting. The format itself needs 7 levels.
const MAX_DEPTH: usize = 32;

/// A value and its position.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) at: Position,
    pub(crate) value: Value,
}

/// A key of a mapping and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) at: Position,
    pub(crate) text: String,
}

/// Content of a node. Scalars keep their spelling; their meaning depends on the field.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Scalar { text: String, plain: bool },
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

impl Node {
    /// Whether the node is null: `key:`, `~` or `null`.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true }
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Returns the kind of node, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar { .. } => "a single value",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }
}

/// Returns the value of a key that is set and not null.
pub(crate) fn entry<'n>(entries: &'n [(Key, Node)], key: &str) -> Option<&'n Node> {
    let mut entries = entries.iter();
    let found = entries.find(|(k, node)| k.text == key && !node.is_null());
    found.map(|(_, node)| node)
}

/// A mistake in the YAML itself.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(crate) at: Position,
    pub(crate) message: String,
    pub(crate) hint: Option<&'static str>,
}

/// Parses the single document of `text`; returns `None` for an empty one.
///
/// # Errors
///
/// The first syntax mistake. Anything that a parser reports after it would be a guess.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, Mistake> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Mistake {
            at: position(error.marker()),
            message: format!("not valid YAML: {}", error.info()),
            hint: None,
        })?;
        builder.take(event, position(&span.start))?;
    }
    Ok(builder.root)
}

/// The builder's unfinished collections, innermost last.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
}

enum Open {
    List(Position, Vec<Node>),
    Map(Position, Vec<(Key, Node)>, Option<Key>),
}

impl Builder {
    fn take(&mut self, event: Event<'_>, at: Position) -> Result<(), Mistake> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(mistake(
                        at,
                        "more than one YAML document",
                        "keep one document per file",
                    ));
                }
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                return Err(mistake(
                    at,
                    "YAML aliases are not accepted",
                    "write the value out: an alias can make a small file a huge one",
                ));
            }
            Event::Scalar(text, ..) if text.contains('\0') => {
                return Err(mistake(
                    at,
                    "the character U+0000 is not allowed",
                    "remove it: the database can't store it",
                ));
            }
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                self.put(Node {
                    at,
                    value: Value::Scalar {
                        text: text.into_owned(),
                        plain,
                    },
                })?;
            }
            Event::SequenceStart(..) => self.open(Open::List(at, Vec::new()), at)?,
            Event::MappingStart(..) => self.open(Open::Map(at, Vec::new(), None), at)?,
            Event::SequenceEnd | Event::MappingEnd => {
                let node = match self.open.pop() {
                    Some(Open::List(at, items)) => Node {
                        at,
                        value: Value::List(items),
                    },
                    Some(Open::Map(at, entries, _)) => Node {
                        at,
                        value: Value::Map(entries),
                    },
                    None => return Ok(()),
                };
                self.put(node)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, open: Open, at: Position) -> Result<(), Mistake> {
        if self.open.len() >= MAX_DEPTH {
            return Err(mistake(
                at,
                "nested too deeply",
                "the file needs at most 7 levels",
            ));
        }
        self.open.push(open);
        Ok(())
    }

    /// Adds a finished node to the innermost open collection.
    fn put(&mut self, node: Node) -> Result<(), Mistake> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List(_, items)) => items.push(node),
            Some(Open::Map(_, entries, key)) => match key.take() {
                Some(key) => entries.push((key, node)),
                None => match node.value {
                    Value::Scalar { text, .. } if text == "<<" => {
                        return Err(mistake(
                            node.at,
                            "YAML merge keys are not accepted",
                            "write the values out",
                        ));
                    }
                    Value::Scalar { text, .. } => *key = Some(Key { at: node.at, text }),
                    _ => {
                        return Err(mistake(
                            node.at,
                            "a key must be a single value",
                            "keys here are names",
                        ));
                    }
                },
            },
        }
        Ok(())
    }
}

fn mistake(at: Position, message: &str, hint: &'static str) -> Mistake {
    Mistake {
        at,
        message: message.to_owned(),
        hint: Some(hint),
    }
}

/// Converts a position. The parser counts columns from 0, people count from 1.
fn position(marker: &Marker) -> Position {
    Position {
        line: marker.line(),
        column: marker.col() + 1,
    }
}
