//! Deletions that don't end.

use super::messages::{has, short};
use crate::cause::Cause;
use crate::cluster::Object;
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
    drafts.extend(facts.cluster.objects.values().filter_map(stuck));
}

fn stuck(object: &Object) -> Option<Draft> {
    let (id, value) = (&object.id, &object.value);
    let is_terminating = text(value, "/status/phase") == "Terminating"
        || !text(value, "/metadata/deletionTimestamp").is_empty();
    if !is_terminating {
        return None;
    }
    let finalizers: Vec<&str> = list(value, "/metadata/finalizers")
        .iter()
        .chain(list(value, "/spec/finalizers"))
        .filter_map(|finalizer| finalizer.as_str())
        .filter(|name| *name != "kubernetes")
        .collect();
    let messages: Vec<&str> = list(value, "/status/conditions")
        .iter()
        .filter(|condition| HOLDING.contains(&text(condition, "/type")))
        .filter(|condition| text(condition, "/status") != "False")
        .map(|condition| text(condition, "/message"))
        .collect();
    // A pod that ends needs a while.
    let ends = finalizers.is_empty()
        || id.kind == "Pod"
            && finalizers
                .iter()
                .all(|name| name.starts_with("batch.kubernetes.io"));
    if messages.is_empty() && ends {
        return None;
    }
    let named = match finalizers.is_empty() {
        true => String::new(),
        false => format!(" Its finalizers are {}.", finalizers.join(", ")),
    };
    let told = messages
        .iter()
        .map(|message| format!(" {}.", short(message)));
    let told: String = told.collect();
    let unlisted = ["discovery failed", "unable to retrieve the complete list"];
    let why = match messages.iter().any(|message| has(message, &unlisted)) {
        true => "an API service does not answer, so its contents can't be listed",
        false => "a finalizer is not removed",
    };
    let sentence = format!("{id} stays in Terminating because {why}.{named}{told}");
    let draft = Draft::new(Cause::FinalizerStuck, id.clone(), sentence);
    let needles = messages.iter().chain(&finalizers);
    Some(needles.fold(draft, |draft, needle| {
        draft.shown_by(object.source(), needle)
    }))
}
