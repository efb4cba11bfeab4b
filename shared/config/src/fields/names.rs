//! Fields with names: references, URLs, iteration strategies and effects of tools.

use tarsy_model::{EffectClass, IterationStrategy};

use super::scalars::Choice;
use super::{Field, Fields, Text};
use crate::problem::Position;
use crate::references::NameKind;

impl Fields<'_> {
    /// Like [`Fields::get`], but returns only the value.
    pub(crate) fn string(&self, field: Field<Text>) -> Option<String> {
        self.get(field).map(Text::into_string)
    }

    /// Reads the name of something that is defined elsewhere.
    pub(crate) fn reference(&self, field: Field<Text>, kind: NameKind) -> Option<String> {
        let name = self.get(field)?;
        self.mention(kind, &name);
        Some(name.into_string())
    }

    /// Records that this text is a name that must be defined.
    pub(crate) fn mention(&self, kind: NameKind, name: &Text) {
        self.context
            .references
            .mention(kind, name.value(), self.place_of(name));
    }

    /// Records that `name` is used here and must be defined.
    pub(crate) fn mention_name(&self, kind: NameKind, name: &str, at: Position) {
        self.context.references.mention(kind, name, self.place(at));
    }

    /// Reads an absolute URL with one of these schemes.
    pub(crate) fn url(&self, field: Field<Text>, schemes: &[&str]) -> Option<Text> {
        let text = self.get(field)?;
        // The template is not filled in yet, so there is nothing to check.
        if text.value().contains("${") {
            return Some(text);
        }
        let valid = url::Url::parse(text.value())
            .is_ok_and(|url| schemes.contains(&url.scheme()) && url.has_host());
        if !valid {
            self.problem(
                field,
                format!("`{field}`: invalid URL"),
                &format!("expected {}://host/...", schemes.join(":// or ")),
            );
        }
        valid.then_some(text)
    }
}

/// In kebab-case or as an upper-case constant.
impl Choice for IterationStrategy {
    type Meaning = Self;
    const WORDS: &'static [&'static str] = Self::WORDS;
    const LOOSE: bool = true;
    const KIND: Option<&'static str> = Some("iteration strategy");

    fn meaning(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Choice for EffectClass {
    type Meaning = Self;
    const WORDS: &'static [&'static str] = Self::WORDS;
    const KIND: Option<&'static str> = Some("effect");

    fn meaning(text: &str) -> Option<Self> {
        Self::from_word(text)
    }
}
