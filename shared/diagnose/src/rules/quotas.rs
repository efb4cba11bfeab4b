//! Recognises quotas and limits of a namespace that prevent pods from being created.

use super::messages::{between, has, short};
use super::words::WORDS;
use crate::cause::Cause;
use crate::cluster::Cluster;
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for complaint in cluster.complaints() {
        let found = explain(&complaint.message, cluster.owner_of(&complaint.about));
        drafts.extend(found.map(|draft| draft.shown_by_event(&complaint)));
    }
    let sources = cluster.sources.iter().enumerate();
    for (number, source) in sources.filter(|(_, source)| source.hints().is_log) {
        let mut lines = source.text.lines();
        if let Some(line) = lines.find(|line| line.contains("exceeded quota:")) {
            let from = ObjectRef::new("Namespace", "", source.hints().namespace);
            let found = explain(line, from);
            drafts.extend(found.map(|draft| draft.shown_by(number, line).weighing(-10)));
        }
    }
}

fn explain(message: &str, owner: ObjectRef) -> Option<Draft> {
    let namespace = match owner.kind.as_str() {
        "Namespace" => owner.name.clone(),
        _ => owner.namespace.clone(),
    };
    let told = short(message);
    if has(message, &["exceeded quota:", "failed quota:"]) {
        let after = message.split_once("exceeded quota: ");
        let after = after.or_else(|| message.split_once("failed quota: "));
        let name = after.and_then(|(_, rest)| rest.split([',', ':', ' ']).next());
        let object = match name.unwrap_or_default() {
            "" => ObjectRef::new("Namespace", "", &namespace),
            name => ObjectRef::new("ResourceQuota", &namespace, name),
        };
        let sentence = format!(
            "{object} of namespace {namespace} is exhausted (quota exceeded), so {owner} can't create its pods: {told}."
        );
        let draft = Draft::new(Cause::QuotaExceeded, object, sentence);
        return Some(draft.affecting(owner).weighing(8));
    }
    let denied = between(message, "admission webhook \"", "\"");
    let sentence = match denied.filter(|_| message.contains("denied")) {
        Some(webhook) => {
            format!("Admission webhook `{webhook}` denies what {owner} needs: {told}.")
        }
        None if has(message, &WORDS.limits) => format!(
            "An admission rule of namespace {namespace} rejects the pods of {owner}: {told}."
        ),
        None => return None,
    };
    Some(Draft::new(Cause::AdmissionDenied, owner, sentence))
}
