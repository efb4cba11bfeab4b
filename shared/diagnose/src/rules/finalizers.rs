//! Recognises deletions that don't end.

use super::messages::{has, short, within};
use super::words::{WORDS, is_in};
use crate::cause::Cause;
use crate::cluster::{Cluster, Object};
use crate::fields::Fields;
use crate::finding::Draft;

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    drafts.extend(cluster.objects.values().filter_map(stuck));
}

fn stuck(object: &Object) -> Option<Draft> {
    let id = &object.id;
    if object.text("/status/phase") != "Terminating"
        && object.text("/metadata/deletionTimestamp").is_empty()
    {
        return None;
    }
    let of_object = object.list("/metadata/finalizers").iter();
    let finalizers = of_object.chain(object.list("/spec/finalizers"));
    let finalizers = finalizers.filter_map(|finalizer| finalizer.as_str());
    let finalizers: Vec<&str> = finalizers.filter(|name| *name != "kubernetes").collect();
    let conditions = object.list("/status/conditions").iter();
    let messages: Vec<&str> = conditions
        .filter(|condition| is_in(&WORDS.undeleted, condition.text("/type")))
        .filter(|condition| condition.text("/status") != "False")
        .map(|condition| condition.text("/message"))
        .collect();
    // A pod needs a while to end, and the job controller removes its own finalizer.
    let is_of_job = |name: &&str| name.starts_with("batch.kubernetes.io");
    let ends = finalizers.is_empty() || id.kind == "Pod" && finalizers.iter().all(is_of_job);
    if messages.is_empty() && ends {
        return None;
    }
    let named = within(" Its finalizers are ", &finalizers.join(", "), ".");
    let told = messages.iter();
    let told: String = told
        .map(|message| format!(" {}.", short(message)))
        .collect();
    let unlisted = ["discovery failed", "unable to retrieve the complete list"];
    let why = match messages.iter().any(|message| has(message, &unlisted)) {
        true => "an API service does not answer, so its contents can't be listed",
        false => "a finalizer is not removed",
    };
    let sentence = format!("{id} stays in Terminating because {why}.{named}{told}");
    let draft = Draft::new(Cause::FinalizerStuck, id.clone(), sentence);
    let needles = messages.iter().chain(&finalizers);
    let source = object.source;
    Some(needles.fold(draft, |draft, needle| draft.shown_by(source, needle)))
}
