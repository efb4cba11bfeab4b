//! Converts the draft of a change to its row.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tarsy_config::{AlertMasker, ChangeSource, WebhookConfig};
use tarsy_model::{Change, UnixMicros, visible};
use tarsy_store::changes::NewChange;
use uuid::Uuid;

use super::{line, path};
use crate::webhooks::formats::Draft;
use crate::webhooks::times::time;
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
    pub(super) fn verdict(&self, draft: &Draft, payload: &Value, delivery: &str) -> Verdict {
        let id = self.value(draft, payload, "id");
        let id = id.unwrap_or_else(|| delivery.to_owned());
        let shown = self.masker.text(&visible(&id)).replace('\n', " ");
        let id = match shown.chars().count() > ID {
            true => digest(None, &id),
            false => shown,
        };
        let action = match self.change(draft, payload, &id) {
            Ok(change) => Action::Record(Box::new(NewChange {
                key: key(&self.source.source, &id),
                change,
            })),
            Err(problems) => Action::Reject(Error::InvalidAlert(problems)),
        };
        Verdict {
            fingerprint: id,
            action,
        }
    }

    /// Returns a value of a change: the one that the source maps, or else the one of its format.
    fn value(&self, draft: &Draft, payload: &Value, name: &str) -> Option<String> {
        let found = draft.get(name).cloned();
        let Some(mapping) = self.change.field(name) else {
            return found;
        };
        let paths = mapping.labels.iter().chain(&mapping.annotations);
        let mut mapped: Vec<_> = paths.filter_map(|path| path::at(payload, path)).collect();
        // A mapping that has only translations translates the value that the format found.
        if mapping.labels.is_empty() && mapping.annotations.is_empty() {
            mapped.extend(found);
        }
        let translate = |value| mapping.values.get(&value).cloned().unwrap_or(value);
        let mut translated = mapped.into_iter().map(translate);
        let chosen = translated.find(|value| !value.is_empty());
        chosen.or_else(|| mapping.default.clone())
    }

    fn change(&self, draft: &Draft, payload: &Value, id: &str) -> Result<Change, Vec<FieldError>> {
        let value = |name: &str| self.value(draft, payload, name);
        let mut problems = Vec::new();
        // A sender's time that can't be read is ignored, but a mapped one is an error.
        let mapped_us = self.value(&Draft::new(), payload, "time");
        let mapped_us = mapped_us.as_deref().map(time);
        if mapped_us == Some(None) {
            let detail = "is neither RFC 3339 nor Unix seconds";
            problems.push(FieldError::new("time", detail));
        }
        let link = value("link").map(|link| line::link(self.masker, &link));
        let link = link.transpose().unwrap_or_else(|why| {
            problems.push(FieldError::new("link", why));
            None
        });
        let line = |name, most| line::line(self.masker, &value(name)?, most);
        let text = |name| line(name, TEXT);
        let Some(title) = line("title", TITLE) else {
            let detail = "is missing; `fields.title` of the source says where it is";
            problems.push(FieldError::new("title", detail));
            return Err(problems);
        };
        if !problems.is_empty() {
            return Err(problems);
        }
        let time_us = mapped_us.unwrap_or_else(|| time(draft.get("time")?));
        let time_us = time_us.filter(|us| *us <= self.now_us + AHEAD_US);
        Ok(Change {
            change_id: Uuid::now_v7(),
            happened_at_us: UnixMicros(time_us.unwrap_or(self.now_us)),
            source: self.source.source.clone(),
            external_id: id.to_owned(),
            kind: text("kind").unwrap_or_else(|| "change".to_owned()),
            title,
            service: text("service"),
            namespace: text("namespace"),
            cluster: text("cluster"),
            author: text("author"),
            revision: text("revision"),
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
