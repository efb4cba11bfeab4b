//! Deletions that don't end.

use super::messages::{has, short};
use crate::cause::Cause;
use crate::facts::{Facts, list, text};
use crate::finding::Draft;

/// Conditions of a namespace that name what holds its deletion.
const HOLDING: [&str; 5] = [
    "NamespaceFinalizersRemaining",
    "NamespaceContentRemaining",
    "NamespaceDeletionDiscoveryFailure",
    "NamespaceDeletionContentFailure",
    "NamespaceDeletionGroupVersionParsingFailure",
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for object in facts.cluster.objects.values() {
        let value = &object.value;
        let is_terminating = text(value, "/status/phase") == "Terminating"
            || !text(value, "/metadata/deletionTimestamp").is_empty();
        if !is_terminating {
            continue;
        }
        let source = object.sources.last().copied().unwrap_or(0);
        let finalizers = list(value, "/metadata/finalizers")
            .iter()
            .chain(list(value, "/spec/finalizers"));
        let finalizers: Vec<&str> = finalizers
            .filter_map(|finalizer| finalizer.as_str())
            .filter(|name| *name != "kubernetes")
            .collect();
        let holding = list(value, "/status/conditions")
            .iter()
            .filter(|condition| {
                HOLDING.contains(&text(condition, "/type")) && text(condition, "/status") != "False"
            });
        let messages: Vec<&str> = holding
            .map(|condition| text(condition, "/message"))
            .collect();
        // A pod that ends needs a while.
        if messages.is_empty()
            && (finalizers.is_empty()
                || object.id.kind == "Pod"
                    && finalizers
                        .iter()
                        .all(|name| name.starts_with("batch.kubernetes.io")))
        {
            continue;
        }
        let named = match finalizers.is_empty() {
            true => String::new(),
            false => format!(" Its finalizers are {}.", finalizers.join(", ")),
        };
        let told: Vec<String> = messages
            .iter()
            .map(|message| format!(" {}.", short(message)))
            .collect();
        let why = match messages.iter().any(|message| {
            has(
                message,
                &["discovery failed", "unable to retrieve the complete list"],
            )
        }) {
            true => "an API service does not answer, so its contents can't be listed",
            false => "a finalizer is not removed",
        };
        let sentence = format!(
            "{} stays in Terminating because {why}.{named}{}",
            object.id,
            told.join("")
        );
        let mut draft = Draft::new(Cause::FinalizerStuck, object.id.clone(), sentence);
        for needle in messages.iter().chain(&finalizers) {
            draft = draft.shown_by(source, needle);
        }
        drafts.push(draft);
    }
}
