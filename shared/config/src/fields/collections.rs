//! Values that are lists and mappings.

use std::marker::PhantomData;

use schemars::{JsonSchema, json_schema};

use super::scalars::{Choice, Scalar, Variable, Word, inlined};
use super::{Field, FieldValue, Fields, ROOT, Section, Text};
use crate::yaml::{Key, Node, Value};

/// A list with at least one entry.
pub(crate) struct List<T>(PhantomData<T>);

/// A list of texts with at least one entry.
pub(crate) type Texts = List<Text>;

/// A mapping from names that a person chooses to values.
pub(crate) struct ByName<T>(PhantomData<T>);

/// Sections by name. An entry without a body is `null`.
pub(crate) struct Entries<S>(PhantomData<S>);

inlined!([T: JsonSchema] List<T>, "List", |generator| {
    let items = generator.subschema_for::<T>();
    json_schema!({"type": "array", "minItems": 1, "items": items})
});
inlined!([T: JsonSchema] ByName<T>, "ByName", |generator| {
    let values = generator.subschema_for::<T>();
    json_schema!({"type": "object", "additionalProperties": values})
});
inlined!([S: JsonSchema] Entries<S>, "Entries", |generator| {
    let entries = generator.subschema_for::<Option<S>>();
    json_schema!({"type": "object", "additionalProperties": entries})
});

/// An entry of a list.
pub(crate) trait Item: JsonSchema {
    /// What a reader gets.
    type Read<'a>;

    /// Reads the entry number `index` of the list `key`.
    fn read<'a>(
        fields: &Fields<'a>,
        key: &str,
        index: usize,
        node: &'a Node,
    ) -> Option<Self::Read<'a>>;
}

/// Implements [`Item`] for a type with one text in the file.
macro_rules! scalar_item {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> Item for $type {
            type Read<'a> = <Self as Scalar>::Read;

            fn read<'a>(fields: &Fields<'a>, key: &str, _: usize, node: &'a Node) -> Option<Self::Read<'a>> {
                fields.item::<Self>(key, node)
            }
        }
    };
}
scalar_item!([] Text);
scalar_item!([] Variable);
scalar_item!([W: Choice] Word<W>);

impl<S: Section> Item for S {
    type Read<'a> = Fields<'a>;

    fn read<'a>(fields: &Fields<'a>, _: &str, index: usize, node: &'a Node) -> Option<Fields<'a>> {
        let owner = format!("{} {} of {}", S::LABEL, index + 1, fields.owner);
        Fields::new::<S>(fields.context, owner, node.at, node)
    }
}

impl<T: Item> FieldValue for Vec<T> {
    type Read<'a> = Vec<T::Read<'a>>;

    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<Vec<T::Read<'a>>> {
        let node = fields.node(key)?;
        let Value::List(items) = &node.value else {
            fields.problem(
                key,
                format!("`{key}` must be a list, not {}", node.kind()),
                "write `[a, b]`, or one entry per line, each after `- `",
            );
            return None;
        };
        let items = items.iter().enumerate();
        Some(
            items
                .filter_map(|(index, item)| T::read(fields, key, index, item))
                .collect(),
        )
    }
}

impl<T: Item> FieldValue for List<T> {
    type Read<'a> = Vec<T::Read<'a>>;

    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<Vec<T::Read<'a>>> {
        let is_empty = |node: &Node| matches!(&node.value, Value::List(items) if items.is_empty());
        if fields.node(key).is_some_and(is_empty) {
            fields.problem(
                key,
                format!("`{key}` in {} is empty", fields.owner),
                "list at least one, or remove the key",
            );
            return None;
        }
        Vec::<T>::read(fields, key)
    }
}

impl<T: Scalar> FieldValue for ByName<T> {
    type Read<'a> = Vec<(&'a Key, T::Read)>;

    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<Vec<(&'a Key, T::Read)>> {
        let values = fields.free_section(key)?.entries.iter();
        Some(
            values
                .filter_map(|(name, node)| Some((name, fields.item::<T>(key, node)?)))
                .collect(),
        )
    }
}

impl FieldValue for ByName<Texts> {
    type Read<'a> = Vec<(&'a Key, Vec<Text>)>;

    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<Vec<(&'a Key, Vec<Text>)>> {
        let list = |(name, node): &'a (Key, Node)| match &node.value {
            Value::List(items) if !items.is_empty() => {
                let texts = items.iter();
                let texts = texts.filter_map(|item| fields.item::<Text>(&name.text, item));
                Some((name, texts.collect()))
            }
            _ => {
                let message = format!("`{key}.{}` must be a non-empty list", name.text);
                let hint = "write `[a, b]`".to_owned();
                fields.context.report(node.at, message, Some(hint));
                None
            }
        };
        let lists = fields.free_section(key)?.entries.iter();
        Some(lists.filter_map(list).collect())
    }
}

impl<S: Section> FieldValue for Entries<S> {
    type Read<'a> = Vec<(&'a Key, Option<Fields<'a>>)>;

    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<Self::Read<'a>> {
        let entries = fields.free_section(key)?.entries;
        let mut sections = Vec::new();
        for (index, (name, node)) in entries.iter().enumerate() {
            // The second of two equal keys has been reported already.
            if entries[..index]
                .iter()
                .any(|(earlier, _)| earlier.text == name.text)
            {
                continue;
            }
            let owner = format!("{} `{}`", S::LABEL, name.text);
            if node.is_null() {
                sections.push((name, None));
            } else if let Some(section) = Fields::new::<S>(fields.context, owner, name.at, node) {
                sections.push((name, Some(section)));
            }
        }
        Some(sections)
    }
}

impl<'a> Fields<'a> {
    /// Like [`Fields::get`], but returns only the values.
    pub(crate) fn strings(&self, field: Field<Texts>) -> Option<Vec<String>> {
        let texts = self.get(field)?.into_iter();
        Some(texts.map(Text::into_string).collect())
    }

    /// Whether the value of the key is a list.
    pub(crate) fn is_list(&self, key: &str) -> bool {
        self.node(key)
            .is_some_and(|node| matches!(node.value, Value::List(_)))
    }

    /// Reads a nested section.
    pub(crate) fn section<S: Section>(&self, key: &'static str) -> Option<Fields<'a>> {
        let (owner, at, node) = self.inner(key)?;
        Fields::new::<S>(self.context, owner, at, node)
    }

    fn free_section(&self, key: &'static str) -> Option<Fields<'a>> {
        let (owner, at, node) = self.inner(key)?;
        Fields::with_free_keys(self.context, owner, at, node)
    }

    /// Returns what messages call the mapping under a key, and its position.
    fn inner(&self, key: &str) -> Option<(String, crate::problem::Position, &'a Node)> {
        let node = self.node(key)?;
        let found = self.entries.iter().find(|(k, _)| k.text == key);
        let at = found.map_or(node.at, |(key, _)| key.at);
        let owner = match self.owner == ROOT {
            true => format!("`{key}`"),
            false => format!("`{key}` of {}", self.owner),
        };
        Some((owner, at, node))
    }

    fn item<T: Scalar>(&self, key: &str, node: &Node) -> Option<T::Read> {
        match &node.value {
            Value::Scalar { text, .. } if !node.is_null() => T::parse(self, key, text, node.at),
            _ => {
                let message = format!("entries of `{key}` must be single values");
                self.context.report(node.at, message, None);
                None
            }
        }
    }
}
