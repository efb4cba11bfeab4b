//! Reading the fields of one mapping, collecting what is wrong instead of stopping at it.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use tarsy_model::{EffectClass, IterationStrategy};

use crate::Resolved;
use crate::context::{Context, Place};
use crate::problem::Position;
use crate::references::Kind;
use crate::yaml::{Key, Node, Value};
use crate::{suggest, units};

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
    /// What the mapping is, e.g. ``agent `k8s` ``.
    owner: String,
    /// Where its key stands.
    key_at: Position,
    entries: &'a [(Key, Node)],
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Fields<'a> {
    /// The fields of a mapping; anything else is a problem. Keys given twice are reported.
    pub(crate) fn of(
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
                    format!("`{}` is given twice in {owner}", key.text),
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
    pub(crate) fn key_at(&self) -> Place {
        self.place(self.key_at)
    }

    /// A position with this mapping as its owner.
    pub(crate) fn place(&self, at: Position) -> Place {
        Place {
            at,
            built_in: self.context.built_in,
            owner: self.owner.clone(),
        }
    }

    /// The node of a key that is there and says something.
    fn take(&self, key: &'static str) -> Option<&'a Node> {
        self.asked.borrow_mut().push(key);
        self.entries
            .iter()
            .find(|(k, _)| k.text == key)
            .map(|(_, node)| node)
            .filter(|node| !node.is_null())
    }

    /// Whether the key is there and says something.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries
            .iter()
            .any(|(k, node)| k.text == key && !node.is_null())
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

    /// Report every key that no getter asked for.
    pub(crate) fn finish(&self) {
        let asked = self.asked.borrow();
        for (key, _) in self.entries {
            if !asked.contains(&key.text.as_str()) {
                let hint = suggest::known(&key.text, &asked);
                self.context.report(
                    key.at,
                    format!("unknown key `{}` in {}", key.text, self.owner),
                    Some(hint),
                );
            }
        }
    }

    // ---- single values ----

    fn scalar(&self, key: &'static str) -> Option<(&'a str, Position)> {
        let node = self.take(key)?;
        match &node.value {
            Value::Scalar { text, .. } => Some((text, node.at)),
            _ => {
                self.problem(
                    key,
                    format!("`{key}` must be a single value, not {}", node.kind()),
                    "write one value",
                );
                None
            }
        }
    }

    fn parsed<T>(
        &self,
        key: &'static str,
        wanted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(key)?;
        let parsed = parse(text.value());
        if parsed.is_none() {
            self.problem(
                key,
                format!("`{key}` is `{}`", text.shown()),
                &format!("write {wanted}"),
            );
        }
        parsed
    }

    /// A text with its templates filled in.
    pub(crate) fn text(&self, key: &'static str) -> Option<Text> {
        let (text, at) = self.scalar(key)?;
        Some(self.resolve(text, at))
    }

    /// Like [`Fields::text`], and nothing but the value.
    pub(crate) fn string(&self, key: &'static str) -> Option<String> {
        self.text(key).map(|text| text.value().to_owned())
    }

    /// A text whose `$` mean themselves, e.g. a regular expression.
    pub(crate) fn verbatim(&self, key: &'static str) -> Option<String> {
        self.scalar(key).map(|(text, _)| text.to_owned())
    }

    /// `true` or `false`, and YAML 1.1's other words for them.
    pub(crate) fn bool(&self, key: &'static str) -> Option<bool> {
        self.parsed(key, "`true` or `false`", |text| {
            match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            }
        })
    }

    /// A whole number within a range.
    pub(crate) fn integer<T>(&self, key: &'static str, range: RangeInclusive<T>) -> Option<T>
    where
        T: FromStr + PartialOrd + std::fmt::Display,
    {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        self.parsed(key, &wanted, |text| {
            text.replace('_', "")
                .parse()
                .ok()
                .filter(|n| range.contains(n))
        })
    }

    /// A number within a range.
    pub(crate) fn number(&self, key: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let wanted = format!("a number from {} to {}", range.start(), range.end());
        self.parsed(key, &wanted, |text| {
            text.parse().ok().filter(|n| range.contains(n))
        })
    }

    /// A length of time, e.g. `90s`, `1h 30m`; a bare number means seconds.
    pub(crate) fn duration(&self, key: &'static str) -> Option<Duration> {
        self.parsed(
            key,
            "a length of time above 0, e.g. `500ms`, `90s`, `10m`, `1h 30m`, `7d`",
            |text| units::duration(text).filter(|length| !length.is_zero()),
        )
    }

    /// One of a few words.
    pub(crate) fn choice(&self, key: &'static str, words: &[&'static str]) -> Option<&'static str> {
        let text = self.text(key)?;
        let found = words.iter().find(|word| **word == text.value()).copied();
        if found.is_none() {
            self.problem(
                key,
                format!("`{key}` is `{}`", text.shown()),
                &suggest::known(text.value(), words),
            );
        }
        found
    }

    /// An absolute URL of one of these schemes.
    pub(crate) fn url(&self, key: &'static str, schemes: &[&str]) -> Option<Text> {
        let text = self.text(key)?;
        // Not filled in yet: nothing to check.
        if text.value().contains("${") {
            return Some(text);
        }
        let valid = url::Url::parse(text.value())
            .is_ok_and(|url| schemes.contains(&url.scheme()) && url.has_host());
        if !valid {
            self.problem(
                key,
                format!("`{key}` is not a URL that can be used"),
                &format!("write {}://host/..", schemes.join(":// or ")),
            );
        }
        valid.then_some(text)
    }

    /// What a tool does to the world.
    pub(crate) fn effect(&self, word: &str, at: Position) -> Option<EffectClass> {
        const WORDS: [&str; 3] = ["read_only", "idempotent", "destructive"];
        let effect = match word {
            "read_only" => Some(EffectClass::ReadOnly),
            "idempotent" => Some(EffectClass::Idempotent),
            "destructive" => Some(EffectClass::Destructive),
            _ => None,
        };
        if effect.is_none() {
            self.context.report(
                at,
                format!("unknown effect `{word}`"),
                Some(suggest::known(word, &WORDS)),
            );
        }
        effect
    }

    fn resolve(&self, text: &str, at: Position) -> Text {
        Text {
            resolved: Resolved::new(text, self.context.resolve(text, at)),
            at,
        }
    }

    // ---- values that have a meaning here ----

    /// A text that has to be there.
    pub(crate) fn required_text(&self, key: &'static str, why: &str) -> Option<Text> {
        let text = self.text(key);
        if !self.has(key) {
            self.problem_here(format!("`{key}` is missing"), why);
        }
        text
    }

    /// Like [`Fields::required_text`], and nothing but the value.
    pub(crate) fn required(&self, key: &'static str, why: &str) -> Option<String> {
        self.required_text(key, why)
            .map(|text| text.value().to_owned())
    }

    /// The name of something defined elsewhere.
    pub(crate) fn reference(&self, key: &'static str, kind: Kind) -> Option<String> {
        let name = self.text(key)?;
        self.mention(kind, &name);
        Some(name.value().to_owned())
    }

    /// Record that this text names something.
    pub(crate) fn mention(&self, kind: Kind, name: &Text) {
        self.mention_name(kind, name.value(), name.at);
    }

    /// Record that a name is asked for here.
    pub(crate) fn mention_name(&self, kind: Kind, name: &str, at: Position) {
        self.context.references.mention(kind, name, self.place(at));
    }

    /// An iteration strategy, in kebab-case or as the seeds' constant.
    pub(crate) fn strategy(&self, key: &'static str) -> Option<IterationStrategy> {
        let text = self.text(key)?;
        let strategy = text.value().parse().ok();
        if strategy.is_none() {
            let hint = suggest::known(text.value(), &IterationStrategy::names());
            self.problem(
                key,
                format!("unknown iteration strategy `{}`", text.shown()),
                &hint,
            );
        }
        strategy
    }

    /// The name of an environment variable.
    pub(crate) fn environment_name(&self, key: &'static str) -> Option<String> {
        self.text(key)
            .and_then(|text| self.check_environment_name(&text))
    }

    /// Names of environment variables.
    pub(crate) fn environment_names(&self, key: &'static str) -> Vec<String> {
        let texts = self.texts(key).unwrap_or_default();
        texts
            .iter()
            .filter_map(|text| self.check_environment_name(text))
            .collect()
    }

    /// A secret pasted where its variable's name belongs must not be repeated.
    fn check_environment_name(&self, text: &Text) -> Option<String> {
        let name = text.value();
        let valid = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !valid {
            let hint = "write the variable's name, e.g. `OPENAI_API_KEY`, not its value".to_owned();
            self.context.report(
                text.at,
                "not the name of an environment variable".to_owned(),
                Some(hint),
            );
        }
        valid.then(|| name.to_owned())
    }

    // ---- lists and mappings ----

    /// A list of texts that must not be empty when it is there.
    pub(crate) fn texts(&self, key: &'static str) -> Option<Vec<Text>> {
        let texts = self.items(key)?;
        if texts.is_empty() {
            self.problem(
                key,
                format!("`{key}` in {} is empty", self.owner),
                "list at least one, or leave the key out",
            );
            return None;
        }
        Some(texts)
    }

    /// A list of texts; nothing is the same as an empty one.
    pub(crate) fn texts_or_empty(&self, key: &'static str) -> Vec<Text> {
        self.items(key).unwrap_or_default()
    }

    /// Like [`Fields::texts`], and nothing but the values.
    pub(crate) fn strings(&self, key: &'static str) -> Option<Vec<String>> {
        Some(
            self.texts(key)?
                .iter()
                .map(|text| text.value().to_owned())
                .collect(),
        )
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
                self.context
                    .report(node.at, format!("`{key}` takes single values"), None);
                None
            }
        }
    }

    /// A mapping from free keys to texts.
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

    /// A mapping from free keys to lists of texts.
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
                let message = format!("`{key}.{}` must be a list that is not empty", name.text);
                self.context
                    .report(node.at, message, Some("write `[a, b]`".to_owned()));
                None
            }
        };
        fields.entries.iter().filter_map(list).collect()
    }

    /// A mapping of its own.
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
        Fields::of(self.context, owner, at, node)
    }

    /// A mapping that has to be there.
    pub(crate) fn required_section(&self, key: &'static str, holds: &str) -> Option<Fields<'a>> {
        if !self.has(key) {
            self.asked.borrow_mut().push(key);
            self.problem_here(format!("`{key}` is missing"), &format!("it holds {holds}"));
            return None;
        }
        self.section(key)
    }

    /// Mappings under free keys, each with its key; a key without a body gives `None`.
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
            } else if let Some(section) = Fields::of(
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

    /// A list of mappings.
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
            Fields::of(
                self.context,
                format!("{what} {} of {}", index + 1, self.owner),
                item.at,
                item,
            )
        };
        items.iter().enumerate().filter_map(section).collect()
    }
}
