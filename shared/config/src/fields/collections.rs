//! Fields that contain lists and mappings.

use super::{Fields, ROOT, Text};
use crate::yaml::{Key, Node, Value};

impl<'a> Fields<'a> {
    /// Reads a list of texts. If the key is set, the list must not be empty.
    pub(crate) fn texts(&self, key: &'static str) -> Option<Vec<Text>> {
        let texts = self.items(key)?;
        if texts.is_empty() {
            self.problem(
                key,
                format!("`{key}` in {} is empty", self.owner),
                "list at least one, or remove the key",
            );
            return None;
        }
        Some(texts)
    }

    /// Reads a list of texts. A missing list counts as empty.
    pub(crate) fn texts_or_empty(&self, key: &'static str) -> Vec<Text> {
        self.items(key).unwrap_or_default()
    }

    /// Like [`Fields::texts`], but returns only the values.
    pub(crate) fn strings(&self, key: &'static str) -> Option<Vec<String>> {
        Some(
            self.texts(key)?
                .iter()
                .map(|text| text.value().to_owned())
                .collect(),
        )
    }

    /// Whether the value of the key is a list.
    pub(crate) fn is_list(&self, key: &'static str) -> bool {
        self.take(key)
            .is_some_and(|node| matches!(node.value, Value::List(_)))
    }

    fn items(&self, key: &'static str) -> Option<Vec<Text>> {
        let node = self.take(key)?;
        let Value::List(items) = &node.value else {
            self.problem(
                key,
                format!("`{key}` must be a list, not {}", node.kind()),
                "write `[a, b]`, or one `- a` a line",
            );
            return None;
        };
        Some(
            items
                .iter()
                .filter_map(|item| self.item(key, item))
                .collect(),
        )
    }

    fn item(&self, key: &str, node: &Node) -> Option<Text> {
        match &node.value {
            Value::Scalar { text, .. } if !node.is_null() => Some(self.resolve(text, node.at)),
            _ => {
                self.context.report(
                    node.at,
                    format!("entries of `{key}` must be single values"),
                    None,
                );
                None
            }
        }
    }

    /// Reads a mapping from free keys to texts.
    pub(crate) fn texts_by_key(&self, key: &'static str) -> Vec<(&'a Key, Text)> {
        let Some(fields) = self.section(key) else {
            return Vec::new();
        };
        fields
            .entries
            .iter()
            .filter_map(|(name, node)| Some((name, self.item(key, node)?)))
            .collect()
    }

    /// Reads a mapping from free keys to lists of texts.
    pub(crate) fn lists_by_key(&self, key: &'static str) -> Vec<(&'a Key, Vec<Text>)> {
        let Some(fields) = self.section(key) else {
            return Vec::new();
        };
        let list = |(name, node): &'a (Key, Node)| match &node.value {
            Value::List(items) if !items.is_empty() => Some((
                name,
                items
                    .iter()
                    .filter_map(|item| self.item(&name.text, item))
                    .collect(),
            )),
            _ => {
                let message = format!("`{key}.{}` must be a non-empty list", name.text);
                self.context
                    .report(node.at, message, Some("write `[a, b]`".to_owned()));
                None
            }
        };
        fields.entries.iter().filter_map(list).collect()
    }

    /// Reads a nested mapping.
    pub(crate) fn section(&self, key: &'static str) -> Option<Fields<'a>> {
        let node = self.take(key)?;
        let at = self
            .entries
            .iter()
            .find(|(k, _)| k.text == key)
            .map_or(node.at, |(k, _)| k.at);
        let owner = if self.owner == ROOT {
            format!("`{key}`")
        } else {
            format!("`{key}` of {}", self.owner)
        };
        Fields::new(self.context, owner, at, node)
    }

    /// Reads a nested mapping that must be set.
    pub(crate) fn required_section(&self, key: &'static str, holds: &str) -> Option<Fields<'a>> {
        if !self.has(key) {
            self.known.borrow_mut().push(key);
            self.problem_here(format!("`{key}` is missing"), &format!("it holds {holds}"));
            return None;
        }
        self.section(key)
    }

    /// Reads nested mappings under free keys, each with its key; a key without a body gives `None`.
    pub(crate) fn named_sections(
        &self,
        key: &'static str,
        what: &str,
    ) -> Vec<(&'a Key, Option<Fields<'a>>)> {
        let Some(fields) = self.section(key) else {
            return Vec::new();
        };
        let mut sections = Vec::new();
        for (index, (name, node)) in fields.entries.iter().enumerate() {
            // The second of two equal keys has been reported already.
            if fields.entries[..index]
                .iter()
                .any(|(earlier, _)| earlier.text == name.text)
            {
                continue;
            }
            if node.is_null() {
                sections.push((name, None));
            } else if let Some(section) = Fields::new(
                self.context,
                format!("{what} `{}`", name.text),
                name.at,
                node,
            ) {
                sections.push((name, Some(section)));
            }
        }
        sections
    }

    /// Reads a list of mappings.
    pub(crate) fn list_of_sections(&self, key: &'static str, what: &str) -> Vec<Fields<'a>> {
        let Some(node) = self.take(key) else {
            return Vec::new();
        };
        let Value::List(items) = &node.value else {
            self.problem(
                key,
                format!("`{key}` must be a list, not {}", node.kind()),
                "start each entry with `- `",
            );
            return Vec::new();
        };
        let section = |(index, item): (usize, &'a Node)| {
            Fields::new(
                self.context,
                format!("{what} {} of {}", index + 1, self.owner),
                item.at,
                item,
            )
        };
        items.iter().enumerate().filter_map(section).collect()
    }
}
