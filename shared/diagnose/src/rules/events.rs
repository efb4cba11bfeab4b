//! Recognises failures by a single event, or by a single condition of a workload, as `events.json` describes them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::messages::{between, has, reported, short};
use super::words::is_in;
use crate::cause::Cause;
use crate::cluster::{Cluster, Event};
use crate::finding::{Draft, ObjectRef};

static ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| serde_json::from_str(include_str!("events.json")).unwrap_or_default());

/// A failure that an event shows. The first row that fits an event decides.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    cause: Option<Cause>,
    /// Kind of the event's object. Default: any.
    about: String,
    /// Reasons of the event. Default: any.
    reasons: Vec<String>,
    /// Phrases in lower case, any of which the message has. Default: any message.
    words: Vec<String>,
    /// Phrases in lower case that the message does not have.
    unless: Vec<String>,
    /// Whether the row is only for events about objects of which nothing else is known.
    only_unknown: bool,
    /// Text before a name in the message, which ends with a quote.
    before_name: String,
    /// Kind of the object with this name, which people have to fix. Default: the owner of the event's object.
    kind: Option<String>,
    sentence: String,
    weight: i32,
}

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for event in cluster.complaints() {
        let row = ROWS.iter().find(|row| row.fits(cluster, &event));
        drafts.extend(row.and_then(|row| row.draft(cluster, &event)));
    }
}

impl Row {
    fn fits(&self, cluster: &Cluster, event: &Event) -> bool {
        let (about, message) = (&event.about, &event.message);
        let is_known = || cluster.objects.contains_key(about) || cluster.pod(about).is_some();
        (self.about.is_empty() || self.about == about.kind)
            && (self.reasons.is_empty() || is_in(&self.reasons, &event.reason))
            && (self.words.is_empty() || has(message, &self.words))
            && !has(message, &self.unless)
            && !(self.only_unknown && is_known())
    }

    fn draft(&self, cluster: &Cluster, event: &Event) -> Option<Draft> {
        let owner = cluster.owner_of(&event.about);
        let name = between(&event.message, &self.before_name, "\"");
        let name = name.unwrap_or("an admission webhook");
        let texts = [
            ("{about}", event.about.to_string()),
            ("{owner}", owner.to_string()),
            ("{namespace}", owner.namespace.clone()),
            ("{reason}", event.reason.clone()),
            ("{name}", name.to_owned()),
            ("{told}", short(&event.message)),
            ("{reported}", reported(&event.message)),
        ];
        let mut sentence = self.sentence.clone();
        for (mark, text) in texts {
            sentence = sentence.replace(mark, &text);
        }
        let kind = self.kind.as_deref();
        let host = kind.and_then(|_| between(&event.message, "https://", "/"));
        let object = kind.map(|kind| ObjectRef::new(kind, "", name));
        let object = object.unwrap_or_else(|| owner.clone());
        let draft = Draft::new(self.cause?, object, sentence).affecting(owner);
        let draft = draft.waiting_for(host.map(str::to_owned));
        Some(draft.shown_by_event(event).weighing(self.weight))
    }
}
