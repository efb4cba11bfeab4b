//! Keys of stages, agents and providers that set options of model calls.

use std::collections::{BTreeMap, BTreeSet};

use tarsy_model::ReasoningEffort;

use crate::context::Context;
use crate::fields::{ByName, Field, Fields, Number, Text, Texts, choice};
use crate::problem::Position;
use crate::references::NameKind;

/// Values of `temperature`.
pub(crate) type Temperature = Number<0, 2>;

choice!(ReasoningEffort);

/// Reads `fallbacks`.
pub(crate) fn fallbacks(fields: &Fields<'_>, field: Field<Vec<Text>>) -> Option<Vec<String>> {
    let names = fields.get(field)?;
    for name in &names {
        fields.mention(NameKind::Fallback, name);
    }
    Some(names.into_iter().map(Text::into_string).collect())
}

/// Lists of fallbacks by name. Each entry is a provider or another list.
#[derive(Default)]
pub(crate) struct FallbackLists(BTreeMap<String, (Position, Vec<String>)>);

impl FallbackLists {
    /// Reads `fallback_lists`.
    pub(crate) fn read(&mut self, fields: &Fields<'_>, lists: Field<ByName<Texts>>) {
        for (key, entries) in fields.get(lists).into_iter().flatten() {
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
