//! Objects that are named and do not exist.

use super::messages::{between, short};
use crate::cause::Cause;
use crate::facts::{Facts, list, text};
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

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for pod in facts
        .pods
        .iter()
        .filter(|pod| !pod.is_healthy() && !pod.is_deleting())
    {
        for container in pod.containers() {
            if let Some((_, message)) = container.waiting()
                && let Some((object, what)) = missing(message, &pod.object.id.namespace)
            {
                let draft = draft(object, &what, &facts.owner(pod), message);
                drafts.push(
                    draft
                        .affecting(pod.object.id.clone())
                        .shown_by(pod.proof().0, message),
                );
            }
        }
        drafts.extend(unlisted(facts, pod));
    }
    for event in facts.events.iter().filter(|event| {
        matches!(
            event.reason,
            "Failed"
                | "FailedMount"
                | "FailedCreate"
                | "FailedScheduling"
                | "CreateContainerConfigError"
        )
    }) {
        let Some((object, what)) = missing(event.message, &event.about.namespace) else {
            continue;
        };
        if !facts.is_over(event) {
            let draft = draft(object, &what, &facts.owner_of(&event.about), event.message);
            drafts.push(
                draft
                    .affecting(event.about.clone())
                    .shown_by(event.source, event.message),
            );
        }
    }
    for workload in &facts.workloads {
        for condition in workload.failures() {
            let message = text(condition, "/message");
            if let Some((object, what)) = missing(message, &workload.object.id.namespace) {
                drafts.push(
                    draft(object, &what, &workload.object.id, message)
                        .shown_by(workload.source(), message),
                );
            }
        }
    }
}

/// What a message says is missing: the object, and in words.
fn missing(message: &str, namespace: &str) -> Option<(ObjectRef, String)> {
    if let Some(key) = between(message, "couldn't find key ", " in ") {
        let (_, rest) = message.split_once(" in ")?;
        let mut words = rest.split_whitespace();
        let kind = crate::kind::canonical(words.next()?)?;
        let name = words
            .next()?
            .rsplit('/')
            .next()?
            .trim_end_matches(['.', ',']);
        return Some((
            ObjectRef::new(kind, namespace, name),
            format!("has no key `{key}`"),
        ));
    }
    if !message.contains("not found")
        && !message.contains("not exist")
        && !message.contains("no PriorityClass")
    {
        return None;
    }
    KINDS.iter().find_map(|(before, kind)| {
        let (_, rest) = message.split_once(before)?;
        let name: String = rest
            .chars()
            .take_while(|c| !matches!(c, '"' | ' ' | ','))
            .collect();
        (!name.is_empty()).then(|| {
            (
                ObjectRef::new(kind, namespace, &name),
                "does not exist".to_owned(),
            )
        })
    })
}

fn draft(object: ObjectRef, what: &str, user: &ObjectRef, message: &str) -> Draft {
    let sentence = format!(
        "{object} {what}, and {user} needs it. Kubernetes reports: {}.",
        short(message)
    );
    Draft::new(Cause::MissingReference, object, sentence)
        .affecting(user.clone())
        .weighing(5)
}

/// References of a pod that lists of these kinds do not have.
fn unlisted(facts: &Facts<'_>, pod: &crate::facts::Pod<'_>) -> Vec<Draft> {
    let value = &pod.object.value;
    let namespace = &pod.object.id.namespace;
    // A pod that exists was admitted with its service account.
    let mut wanted: Vec<(&str, &str)> = Vec::new();
    for volume in list(value, "/spec/volumes") {
        if volume
            .pointer("/configMap/optional")
            .and_then(serde_json::Value::as_bool)
            != Some(true)
        {
            wanted.push(("ConfigMap", text(volume, "/configMap/name")));
        }
        if volume
            .pointer("/secret/optional")
            .and_then(serde_json::Value::as_bool)
            != Some(true)
        {
            wanted.push(("Secret", text(volume, "/secret/secretName")));
        }
        wanted.push((
            "PersistentVolumeClaim",
            text(volume, "/persistentVolumeClaim/claimName"),
        ));
    }
    for container in pod.containers() {
        for setting in list(container.spec, "/env") {
            wanted.push(("Secret", text(setting, "/valueFrom/secretKeyRef/name")));
            wanted.push((
                "ConfigMap",
                text(setting, "/valueFrom/configMapKeyRef/name"),
            ));
        }
        for from in list(container.spec, "/envFrom") {
            wanted.push(("Secret", text(from, "/secretRef/name")));
            wanted.push(("ConfigMap", text(from, "/configMapRef/name")));
        }
    }
    wanted.retain(|(kind, name)| {
        !name.is_empty()
            && facts.cluster.is_listed(kind, namespace)
            && facts.cluster.get(kind, namespace, name).is_none()
    });
    let draft = |(kind, name): (&str, &str)| {
        let object = ObjectRef::new(kind, namespace, name);
        let owner = facts.owner(pod);
        let sentence = format!("{object} does not exist, and {owner} needs it.");
        let draft = Draft::new(Cause::MissingReference, object, sentence).affecting(owner);
        draft
            .affecting(pod.object.id.clone())
            .shown_by(pod.proof().0, name)
    };
    wanted.into_iter().map(draft).collect()
}
