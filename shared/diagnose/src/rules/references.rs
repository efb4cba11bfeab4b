//! Objects that are named and do not exist.

use serde_json::Value;

use super::messages::{between, reported};
use crate::cause::Cause;
use crate::facts::{Facts, Pod, list};
use crate::finding::{Draft, ObjectRef};

/// Words of messages before the quoted name, and the kind.
const KINDS: [(&str, &str); 7] = [
    ("secret \"", "Secret"),
    ("configmap \"", "ConfigMap"),
    ("serviceaccount \"", "ServiceAccount"),
    ("persistentvolumeclaim \"", "PersistentVolumeClaim"),
    ("storageclass.storage.k8s.io \"", "StorageClass"),
    ("runtimeclass.node.k8s.io \"", "RuntimeClass"),
    ("PriorityClass with name ", "PriorityClass"),
];
/// Events that may say so.
const REASONS: [&str; 5] = [
    "Failed",
    "FailedMount",
    "FailedCreate",
    "FailedScheduling",
    "CreateContainerConfigError",
];
/// Where volumes, settings and sources of settings name an object: its kind, the field, and the name in it.
const REFERENCES: [(&str, &str, &str); 7] = [
    ("ConfigMap", "/configMap", "name"),
    ("Secret", "/secret", "secretName"),
    (
        "PersistentVolumeClaim",
        "/persistentVolumeClaim",
        "claimName",
    ),
    ("Secret", "/valueFrom/secretKeyRef", "name"),
    ("ConfigMap", "/valueFrom/configMapKeyRef", "name"),
    ("Secret", "/secretRef", "name"),
    ("ConfigMap", "/configMapRef", "name"),
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for pod in facts.failing() {
        let id = &pod.object.id;
        for container in pod.containers() {
            if let Some((_, message)) = container.waiting()
                && let Some((object, what)) = missing(message, &id.namespace)
            {
                let draft = draft(object, &what, &facts.owner(pod), message);
                let draft = draft.affecting(id.clone());
                drafts.push(draft.shown_by(pod.object.source(), message));
            }
        }
        drafts.extend(unlisted(facts, pod));
    }
    for complaint in facts.complaints() {
        let may_say = |reason| REASONS.contains(&reason);
        if complaint.reason.is_none_or(may_say)
            && let Some((object, what)) = missing(complaint.message, &complaint.about.namespace)
        {
            let user = facts.owner_of(complaint.about);
            let draft = draft(object, &what, &user, complaint.message);
            drafts.push(draft.complained_of(&complaint));
        }
    }
}

/// What a message says is missing: the object, and in words.
fn missing(message: &str, namespace: &str) -> Option<(ObjectRef, String)> {
    if let Some(key) = between(message, "couldn't find key ", " in ") {
        let (_, rest) = message.split_once(" in ")?;
        let mut words = rest.split_whitespace();
        let kind = crate::kind::canonical(words.next()?)?;
        let name = words.next()?.rsplit('/').next()?;
        let object = ObjectRef::new(kind, namespace, name.trim_end_matches(['.', ',']));
        return Some((object, format!("has no key `{key}`")));
    }
    let says = ["not found", "not exist", "no PriorityClass"];
    if !says.iter().any(|words| message.contains(words)) {
        return None;
    }
    KINDS.iter().find_map(|(before, kind)| {
        let (_, rest) = message.split_once(before)?;
        let name = rest.split(['"', ' ', ',']).next()?;
        let object = ObjectRef::new(kind, namespace, name);
        (!name.is_empty()).then(|| (object, "does not exist".to_owned()))
    })
}

fn draft(object: ObjectRef, what: &str, user: &ObjectRef, message: &str) -> Draft {
    let reported = reported(message);
    let sentence = format!("{object} {what}, and {user} needs it.{reported}");
    Draft::new(Cause::MissingReference, object, sentence)
        .affecting(user.clone())
        .weighing(5)
}

/// References of a pod that lists of these kinds do not have. A pod that exists was admitted with its service account.
fn unlisted(facts: &Facts<'_>, pod: &Pod<'_>) -> Vec<Draft> {
    let namespace = &pod.object.id.namespace;
    let containers = pod.containers();
    let settings = containers.iter().flat_map(|container| {
        let sources = list(container.spec, "/envFrom");
        list(container.spec, "/env").iter().chain(sources)
    });
    let volumes = list(&pod.object.value, "/spec/volumes");
    let wanted = volumes.iter().chain(settings).flat_map(named);
    wanted
        .filter(|(kind, name)| {
            !name.is_empty()
                && facts.cluster.is_listed(kind, namespace)
                && facts.cluster.get(kind, namespace, name).is_none()
        })
        .map(|(kind, name)| {
            let object = ObjectRef::new(kind, namespace, name);
            let owner = facts.owner(pod);
            let sentence = format!("{object} does not exist, and {owner} needs it.");
            Draft::new(Cause::MissingReference, object, sentence)
                .affecting(owner)
                .affecting(pod.object.id.clone())
                .shown_by(pod.object.source(), name)
        })
        .collect()
}

/// The objects that a volume or a setting names and can't do without.
fn named(holder: &Value) -> impl Iterator<Item = (&'static str, &str)> {
    REFERENCES.iter().filter_map(move |(kind, field, name)| {
        let reference = holder.pointer(field)?;
        let name = reference[*name].as_str()?;
        (reference["optional"] != true).then_some((*kind, name))
    })
}
