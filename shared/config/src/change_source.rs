//! Webhook sources of type `change`: the system that sends the changes, and where in a payload their values are found.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_model::words;

use crate::fields::Fields;
use crate::mapping::Mapping;

/// Values of a change that a source can map.
pub(crate) const CHANGE_FIELDS: [&str; 10] = [
    "title",
    "service",
    "namespace",
    "cluster",
    "kind",
    "author",
    "revision",
    "link",
    "id",
    "time",
];

/// System that sends the changes of a source, and the form of its payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ChangeFormat {
    /// GitHub: pushes, deployments and releases.
    Github,
    /// GitLab: pushes and deployments.
    Gitlab,
    /// Argo CD notifications whose body contains the application.
    ArgoCd,
    /// Flux: events of the notification controller.
    Flux,
    /// CloudEvents 1.0: structured, batched or binary.
    Cloudevents,
    /// Any JSON object. The mapping defines where each value is.
    Generic,
}

words!(ChangeFormat {
    Github => "github",
    Gitlab => "gitlab",
    ArgoCd => "argo-cd",
    Flux => "flux",
    Cloudevents => "cloudevents",
    Generic => "generic",
});

/// Settings that only sources of type `change` have.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeSource {
    /// The form of its payloads.
    pub format: ChangeFormat,
    /// Branches whose pushes are recorded as changes; empty: the default branch of each repository.
    pub branches: Vec<String>,
    /// Where values are found, by name. Values that are not listed are found where the format has them.
    fields: BTreeMap<&'static str, Mapping>,
}

impl ChangeSource {
    /// Returns where a value is found, if the configuration defines it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Mapping> {
        self.fields.get(name)
    }

    /// Reads the keys of a source of type `change`. Returns `None` if the format is missing or unknown.
    pub(crate) fn read(source: &Fields<'_>) -> Option<Self> {
        let word = source.choice("format", ChangeFormat::WORDS);
        if word.is_none() && !source.has("format") {
            let hint = format!("one of {}", ChangeFormat::WORDS.join(", "));
            source.problem_here("`format` is missing".to_owned(), &hint);
        }
        let branches = source.strings("branches").unwrap_or_default();
        let mut fields = BTreeMap::new();
        if let Some(section) = source.section("fields") {
            for name in CHANGE_FIELDS {
                if section.has(name) {
                    let mapping = Mapping::read(&section, name, Mapping::default(), None);
                    fields.insert(name, mapping);
                } else {
                    section.know(name);
                }
            }
            section.finish();
        }
        Some(Self {
            format: ChangeFormat::from_word(word?)?,
            branches,
            fields,
        })
    }
}
