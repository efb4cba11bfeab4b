//! Converts the draft of a change to its row.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tarsy_config::{AlertMasker, ChangeSource, WebhookConfig};
use tarsy_model::{Change, UnixMicros, visible};
use tarsy_store::changes::NewChange;
use uuid::Uuid;

use super::{line, path};
use crate::webhooks::vendor::digest;
use crate::webhooks::{Action, Verdict};
use crate::{Error, FieldError};

/// Longest title and other text, in characters.
const TITLE: usize = 300;
const TEXT: usize = 200;
/// Longest id of a sender that is stored as it is. A longer one is replaced by a digest.
const ID: usize = 300;
/// Maximum time that the clock of a sender may be ahead. A change with a later time gets the current time.
const AHEAD_US: i64 = 3_600_000_000;

/// A change as its format describes it, not yet validated or masked.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) id: Option<String>,
    /// As its sender writes it.
    pub(super) time: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) title: Option<String>,
    pub(super) service: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) cluster: Option<String>,
    pub(super) author: Option<String>,
    pub(super) revision: Option<String>,
    pub(super) link: Option<String>,
}

/// Context in which drafts are judged.
pub(in crate::webhooks) struct Judge<'a> {
    pub(in crate::webhooks) source: &'a WebhookConfig,
    pub(in crate::webhooks) change: &'a ChangeSource,
    pub(in crate::webhooks) masker: &'a AlertMasker,
    pub(in crate::webhooks) now_us: i64,
}

impl Judge<'_> {
    /// Returns the action for a change. Mappings read `payload`. `delivery` identifies the change
    /// if its sender does not.
    pub(super) fn verdict(&self, draft: Draft, payload: &Value, delivery: &str) -> Verdict {
        let mut problems = Vec::new();
        let draft = self.mapped(draft, payload, &mut problems);
        let id = draft.id.as_deref().unwrap_or(delivery);
        let shown = self.masker.text(&visible(id)).replace('\n', " ");
        let id = match shown.chars().count() > ID {
            true => digest(None, id),
            false => shown,
        };
        let change = self.change(draft, &id, &mut problems);
        let action = match change.filter(|_| problems.is_empty()) {
            Some(change) => Action::Record(Box::new(NewChange {
                key: key(&self.source.source, &id),
                change,
            })),
            None => Action::Reject(Error::InvalidAlert(problems)),
        };
        Verdict {
            fingerprint: id,
            action,
        }
    }

    /// Returns the draft with the values that the source maps.
    fn mapped(&self, draft: Draft, payload: &Value, problems: &mut Vec<FieldError>) -> Draft {
        let map = |name: &str, found: Option<String>| {
            let Some(mapping) = self.change.field(name) else {
                return found;
            };
            let names = mapping.labels.iter().chain(&mapping.annotations);
            let values: Vec<_> = names
                .filter_map(|name| Some((name.as_str(), path::at(payload, name)?)))
                .collect();
            let value = |wanted: &str| {
                let found = values.iter().find(|(name, _)| *name == wanted);
                found.map(|(_, value)| value.as_str())
            };
            // A mapping that has only translations translates the value that the format found.
            if mapping.labels.is_empty() && mapping.annotations.is_empty() {
                let translated =
                    found.map(|found| mapping.values.get(&found).cloned().unwrap_or(found));
                return translated.or_else(|| mapping.default.clone());
            }
            mapping.choose(value, value, |_| true)
        };
        let time = map("time", None);
        if time
            .as_deref()
            .is_some_and(|text| line::time(text).is_none())
        {
            let detail = "is neither RFC 3339 nor Unix seconds";
            problems.push(FieldError::new("time", detail));
        }
        Draft {
            id: map("id", draft.id),
            time: time.or(draft.time),
            kind: map("kind", draft.kind),
            title: map("title", draft.title),
            service: map("service", draft.service),
            namespace: map("namespace", draft.namespace),
            cluster: map("cluster", draft.cluster),
            author: map("author", draft.author),
            revision: map("revision", draft.revision),
            link: map("link", draft.link),
        }
    }

    fn change(&self, draft: Draft, id: &str, problems: &mut Vec<FieldError>) -> Option<Change> {
        let text = |value: Option<String>| line::line(self.masker, &value?, TEXT);
        let link = draft.link.map(|link| line::link(self.masker, &link));
        let link = link.transpose().unwrap_or_else(|why| {
            problems.push(FieldError::new("link", why));
            None
        });
        let title = draft
            .title
            .and_then(|title| line::line(self.masker, &title, TITLE));
        if title.is_none() {
            let detail = "is missing; `fields.title` of the source says where it is";
            problems.push(FieldError::new("title", detail));
        }
        let time_us = draft.time.as_deref().and_then(line::time);
        let time_us = time_us.filter(|us| *us <= self.now_us + AHEAD_US);
        Some(Change {
            change_id: Uuid::now_v7(),
            happened_at_us: UnixMicros(time_us.unwrap_or(self.now_us)),
            source: self.source.source.clone(),
            external_id: id.to_owned(),
            kind: text(draft.kind).unwrap_or_else(|| "change".to_owned()),
            title: title?,
            service: text(draft.service),
            namespace: text(draft.namespace),
            cluster: text(draft.cluster),
            author: text(draft.author),
            revision: text(draft.revision),
            link,
        })
    }
}

/// Computes the key of a change of a source.
fn key(source: &str, id: &str) -> Uuid {
    let digest = Sha256::digest(format!("{source}\0{id}"));
    let (first, _) = digest.split_at(size_of::<Uuid>());
    Uuid::from_slice(first).unwrap_or_default()
}
