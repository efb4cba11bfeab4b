//! Mappings from a webhook's payload to the values of an alert or a change.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::fields::{ByName, Field, Fields, Text, Texts, section};
use crate::references::NameKind;

section! {
    /// Where to find a value in a payload.
    struct MappingFields("Mapping") {
        /// Labels to read, in this order.
        labels: Texts,
        /// Annotations to read after the labels.
        annotations: Texts,
        /// Translations of the values found.
        values: ByName<Text>,
        /// Value if no acceptable value is found.
        default: Text,
    }
}

/// Where a value is found in the labels and annotations of a payload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Mapping {
    /// Labels to read, in this order.
    pub labels: Vec<String>,
    /// Annotations to read after the labels.
    pub annotations: Vec<String>,
    /// Replacements for found values. A value that is not listed stays as it is.
    pub values: BTreeMap<String, String>,
    /// Used if no value is found, or none of the found ones is accepted.
    pub default: Option<String>,
}

impl Mapping {
    /// Returns the first value that exists and that `accept` accepts, or else the default.
    pub fn choose<'a>(
        &self,
        label: impl Fn(&str) -> Option<&'a str>,
        annotation: impl Fn(&str) -> Option<&'a str>,
        accept: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let labels = self.labels.iter().filter_map(|name| label(name));
        let found = labels.chain(self.annotations.iter().filter_map(|name| annotation(name)));
        found
            .map(|value| self.values.get(value).map_or(value, String::as_str))
            .find(|value| !value.is_empty() && accept(value))
            .map(str::to_owned)
            .or_else(|| self.default.clone())
    }

    /// Like [`Self::choose`], but without such a value it returns the first label that exists, so that an error can
    /// name it.
    pub fn choose_or_first<'a>(
        &self,
        label: impl Fn(&str) -> Option<&'a str>,
        annotation: impl Fn(&str) -> Option<&'a str>,
        accept: impl Fn(&str) -> bool,
    ) -> String {
        self.choose(&label, annotation, accept).unwrap_or_else(|| {
            let first = self.labels.iter().find_map(|name| label(name));
            first.unwrap_or_default().to_owned()
        })
    }

    pub(crate) fn new(labels: &[&str], annotations: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            labels: owned(labels),
            annotations: owned(annotations),
            ..Self::default()
        }
    }

    /// Reads a mapping. Returns `usual` if the key is missing.
    pub(crate) fn read(
        source: &Fields<'_>,
        field: Field<MappingFields>,
        usual: Self,
        values_name: Option<NameKind>,
    ) -> Self {
        let keys = MappingFields::FIELDS;
        let Some(fields) = source.get(field) else {
            return usual;
        };
        let values = fields.get(keys.values).unwrap_or_default();
        let default = fields.get(keys.default);
        if let Some(kind) = values_name {
            for text in values.iter().map(|(_, text)| text).chain(&default) {
                fields.mention(kind, text);
            }
        }
        let (labels, annotations) = (
            fields.strings(keys.labels),
            fields.strings(keys.annotations),
        );
        let usual = match (&labels, &annotations) {
            (None, None) => usual,
            _ => Self::default(),
        };
        Self {
            labels: labels.unwrap_or(usual.labels),
            annotations: annotations.unwrap_or(usual.annotations),
            values: values
                .into_iter()
                .map(|(key, text)| (key.text.clone(), text.into_string()))
                .collect(),
            default: default.map(Text::into_string),
        }
    }
}
