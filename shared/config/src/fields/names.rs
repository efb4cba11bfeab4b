//! Fields with names: required texts, references, strategies, variables, effects.

use tarsy_model::{EffectClass, IterationStrategy};

use super::{Fields, Text};
use crate::problem::Position;
use crate::references::NameKind;
use crate::suggest;

/// Side effects of tools.
pub(crate) const EFFECTS: [(&str, EffectClass); 3] = [
    ("read_only", EffectClass::ReadOnly),
    ("idempotent", EffectClass::Idempotent),
    ("destructive", EffectClass::Destructive),
];

impl Fields<'_> {
    /// Reads a text that must be set.
    pub(crate) fn required_text(&self, key: &'static str, why: &str) -> Option<Text> {
        let text = self.text(key);
        if !self.has(key) {
            self.problem_here(format!("`{key}` is missing"), why);
        }
        text
    }

    /// Like [`Fields::required_text`], but returns only the value.
    pub(crate) fn required(&self, key: &'static str, why: &str) -> Option<String> {
        self.required_text(key, why)
            .map(|text| text.value().to_owned())
    }

    /// Like [`Fields::required`], for a text in which `$` has no special meaning.
    pub(crate) fn required_verbatim(&self, key: &'static str, why: &str) -> Option<String> {
        let text = self.verbatim(key);
        if !self.has(key) {
            self.problem_here(format!("`{key}` is missing"), why);
        }
        text
    }

    /// Reads the name of something that is defined elsewhere.
    pub(crate) fn reference(&self, key: &'static str, kind: NameKind) -> Option<String> {
        let name = self.text(key)?;
        self.mention(kind, &name);
        Some(name.value().to_owned())
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

    /// Reads an iteration strategy, in kebab-case or as an upper-case constant.
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

    /// Reads the name of an environment variable.
    pub(crate) fn environment_name(&self, key: &'static str) -> Option<String> {
        self.text(key)
            .and_then(|text| self.check_environment_name(&text))
    }

    /// Reads names of environment variables.
    pub(crate) fn environment_names(&self, key: &'static str) -> Vec<String> {
        let texts = self.texts(key).unwrap_or_default();
        texts
            .iter()
            .filter_map(|text| self.check_environment_name(text))
            .collect()
    }

    /// Checks the name of a variable. The message does not repeat it, because it could be a secret pasted in place of
    /// the name.
    fn check_environment_name(&self, text: &Text) -> Option<String> {
        let name = text.value();
        let valid = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !valid {
            let hint = "write the variable's name, e.g. `OPENAI_API_KEY`, not its value".to_owned();
            self.context.report(
                text.at,
                "invalid name of an environment variable".to_owned(),
                Some(hint),
            );
        }
        valid.then(|| name.to_owned())
    }

    /// Parses the side effect of a tool.
    pub(crate) fn effect(&self, written: &Text) -> Option<EffectClass> {
        let effect = EFFECTS.iter().find(|(word, _)| *word == written.value());
        if effect.is_none() {
            let hint = suggest::known(written.value(), &EFFECTS.map(|(word, _)| word));
            let message = format!("unknown effect `{}`", written.shown());
            self.context.report(written.at, message, Some(hint));
        }
        effect.map(|(_, effect)| *effect)
    }
}
