//! Keys of stages, agents and providers that set options of model calls.

use std::collections::{BTreeMap, BTreeSet};

use tarsy_model::{ModelOptions, ReasoningEffort};

use crate::context::Context;
use crate::fields::Fields;
use crate::problem::Position;
use crate::references::NameKind;
use crate::schema::scalars::Number;

/// Values of `temperature`.
pub(crate) type Temperature = Number<0, 2>;

/// Words of `reasoning_effort`.
pub(crate) const EFFORT_WORDS: [&str; 7] = {
    let mut words = [""; 7];
    let mut at = 0;
    while at < words.len() {
        words[at] = ReasoningEffort::ALL[at].as_str();
        at += 1;
    }
    words
};

pub(crate) fn read(fields: &Fields<'_>) -> ModelOptions {
    let effort = fields.choice("reasoning_effort", &EFFORT_WORDS);
    let mut efforts = ReasoningEffort::ALL.into_iter();
    let fallbacks = fields.texts_or_empty("fallbacks");
    for name in &fallbacks {
        fields.mention(NameKind::Fallback, name);
    }
    let fallbacks = fallbacks.iter().map(|name| name.value().to_owned());
    ModelOptions {
        temperature: fields.number("temperature", Temperature::RANGE),
        reasoning_effort: effort.and_then(|word| efforts.find(|effort| effort.as_str() == word)),
        thinking: fields.bool("thinking"),
        fallbacks: fields.has("fallbacks").then(|| fallbacks.collect()),
    }
}

/// Lists of fallbacks by name. Each entry is a provider or another list.
#[derive(Default)]
pub(crate) struct FallbackLists(BTreeMap<String, (Position, Vec<String>)>);

impl FallbackLists {
    /// Reads `fallback_lists`.
    pub(crate) fn read(&mut self, fields: &Fields<'_>) {
        for (key, entries) in fields.lists_by_key("fallback_lists") {
            let references = &fields.context().references;
            references.define(NameKind::Fallback, &key.text, fields.place(key.at));
            for entry in &entries {
                fields.mention(NameKind::Fallback, entry);
            }
            let entries = entries.iter().map(|entry| entry.value().to_owned());
            self.0.insert(key.text.clone(), (key.at, entries.collect()));
        }
    }

    /// Reports lists that have the name of a provider, and lists that include themselves.
    pub(crate) fn check(&self, context: &Context<'_>, is_provider: impl Fn(&str) -> bool) {
        for (name, (at, _)) in &self.0 {
            if is_provider(name) {
                let message = format!("`{name}` is an LLM provider and a fallback list");
                context.report(
                    *at,
                    message,
                    Some("choose another name for the list".to_owned()),
                );
            }
            let mut path = vec![name.as_str()];
            if self.leads_back(name, &mut path) {
                let message = format!("fallback lists name each other: {}", path.join(" -> "));
                context.report(*at, message, Some("remove the way back".to_owned()));
            }
        }
    }

    fn leads_back<'s>(&'s self, first: &str, path: &mut Vec<&'s str>) -> bool {
        let Some((_, entries)) = path.last().and_then(|last| self.0.get(*last)) else {
            return false;
        };
        for entry in entries {
            let is_first = entry == first;
            if !is_first && path.contains(&entry.as_str()) {
                continue;
            }
            path.push(entry);
            if is_first || self.leads_back(first, path) {
                return true;
            }
            path.pop();
        }
        false
    }

    /// Returns the providers that `fallbacks` stand for, in order, each once.
    pub(crate) fn expanded(&self, fallbacks: &[String]) -> Vec<String> {
        let (mut providers, mut seen) = (Vec::new(), BTreeSet::new());
        self.expand(fallbacks, &mut seen, &mut providers);
        providers
    }

    fn expand<'s>(
        &'s self,
        fallbacks: &'s [String],
        seen: &mut BTreeSet<&'s str>,
        providers: &mut Vec<String>,
    ) {
        for name in fallbacks.iter().filter(|name| !name.is_empty()) {
            if !seen.insert(name) {
                continue;
            }
            match self.0.get(name) {
                Some((_, entries)) => self.expand(entries, seen, providers),
                None => providers.push(name.clone()),
            }
        }
    }
}
