//! Recognises exhausted quotas of a namespace, which prevent pods from being created.

use super::messages::short;
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
    let marks = ["exceeded quota:", "failed quota:"];
    let (_, rest) = marks.iter().find_map(|mark| message.split_once(mark))?;
    let namespace = match owner.kind.as_str() {
        "Namespace" => owner.name.clone(),
        _ => owner.namespace.clone(),
    };
    let object = match rest
        .trim_start()
        .split([',', ':', ' '])
        .next()
        .unwrap_or_default()
    {
        "" => ObjectRef::new("Namespace", "", &namespace),
        name => ObjectRef::new("ResourceQuota", &namespace, name),
    };
    let told = short(message);
    let sentence = format!(
        "{object} of namespace {namespace} is exhausted (quota exceeded), so {owner} can't create its pods: {told}."
    );
    let draft = Draft::new(Cause::QuotaExceeded, object, sentence);
    Some(draft.affecting(owner).weighing(8))
}
