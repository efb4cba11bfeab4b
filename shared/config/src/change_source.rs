//! Webhook sources of type `change`: the system that sends the changes, and where in a payload their values are found.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_model::words;

use crate::fields::{Field, Fields, Texts, Word, choice, section};
use crate::mapping::{Mapping, MappingFields};

section! {
    /// Values of a change.
    struct ChangeFields("ChangeFields") {
        /// What changed, in one line.
        title: MappingFields,
        /// Service, application or repository.
        service: MappingFields,
        /// Namespace.
        namespace: MappingFields,
        /// Cluster.
        cluster: MappingFields,
        /// Kind of the change, e.g. `deployment`.
        kind: MappingFields,
        /// Who made it.
        author: MappingFields,
        /// Commit, tag or version.
        revision: MappingFields,
        /// Web page of the change; http or https.
        link: MappingFields,
        /// The sender's ID of the change. Payloads with the same ID are one change.
        id: MappingFields,
        /// When it happened: RFC 3339, or Unix seconds or milliseconds.
        time: MappingFields,
    }
}

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
choice!(ChangeFormat);

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
    pub(crate) fn read(
        source: &Fields<'_>,
        format: Field<Word<ChangeFormat>>,
        branches: Field<Texts>,
        fields: Field<ChangeFields>,
    ) -> Option<Self> {
        let hint = format!("one of {}", ChangeFormat::WORDS.join(", "));
        let format = source.require(format, &hint);
        let branches = source.strings(branches).unwrap_or_default();
        let fields = source.get(fields).map(|section| read_fields(&section));
        Some(Self {
            format: format?,
            branches,
            fields: fields.unwrap_or_default(),
        })
    }
}

fn read_fields(section: &Fields<'_>) -> BTreeMap<&'static str, Mapping> {
    let keys = ChangeFields::FIELDS;
    let keys = [
        keys.title,
        keys.service,
        keys.namespace,
        keys.cluster,
        keys.kind,
        keys.author,
        keys.revision,
        keys.link,
        keys.id,
        keys.time,
    ];
    let set = keys.into_iter().filter(|key| section.has(*key));
    set.map(|key| {
        (
            key.name(),
            Mapping::read(section, key, Mapping::default(), None),
        )
    })
    .collect()
}
