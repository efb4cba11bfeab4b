//! Recognises references to objects that do not exist.

use serde_json::Value;

use super::messages::{between, reported};
use super::words::{WORDS, is_in};
use crate::cause::Cause;
use crate::cluster::{Cluster, Object};
use crate::fields::Fields;
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for pod in cluster.failing() {
        drafts.extend(unlisted(cluster, pod, &cluster.owner(pod)));
    }
    for complaint in cluster.complaints() {
        if is_in(&WORDS.missing_reasons, &complaint.reason) {
            let (about, user) = (&complaint.about, cluster.owner_of(&complaint.about));
            let draft = missing(&complaint.message, &about.namespace, &user);
            drafts.extend(draft.map(|draft| draft.shown_by_event(&complaint)));
        }
    }
}

/// Drafts a finding for the object or key that a message reports as missing.
fn missing(message: &str, namespace: &str, user: &ObjectRef) -> Option<Draft> {
    let (object, what) = match between(message, "couldn't find key ", " in ") {
        Some(key) => {
            let (_, rest) = message.split_once(" in ")?;
            let mut words = rest.split_whitespace();
            let kind = crate::kind::canonical(words.next()?)?;
            let name = words.next()?.rsplit('/').next()?;
            let object = ObjectRef::new(kind, namespace, name.trim_end_matches(['.', ',']));
            (object, format!("has no key `{key}`"))
        }
        None => {
            let says = ["not found", "not exist", "no PriorityClass"];
            let mut kinds = WORDS.missing_kinds.iter();
            let object = kinds.find_map(|(kind, before)| {
                let (_, rest) = message.split_once(before)?;
                let name = rest.split(['"', ' ', ',']).next()?;
                (!name.is_empty()).then(|| ObjectRef::new(kind, namespace, name))
            });
            let is_said = says.iter().any(|words| message.contains(words));
            (object.filter(|_| is_said)?, "does not exist".to_owned())
        }
    };
    let reported = reported(message);
    let sentence = format!("{object} {what}, and {user} needs it.{reported}");
    let draft = Draft::new(Cause::MissingReference, object, sentence);
    Some(draft.affecting(user.clone()).weighing(5))
}

/// Drafts findings for references of a pod that complete lists of their kinds do not contain.
///
/// Service accounts are not checked: a pod that exists was admitted with its service account.
fn unlisted(cluster: &Cluster, pod: &Object, owner: &ObjectRef) -> Vec<Draft> {
    let namespace = &pod.id.namespace;
    let containers = pod.containers();
    let settings = containers.iter().flat_map(|container| {
        let settings = container.spec.list("/env").iter();
        settings.chain(container.spec.list("/envFrom"))
    });
    let wanted = pod.list("/spec/volumes").iter().chain(settings);
    let is_missing = |kind: &str, name: &str| {
        let is_known = cluster.get(kind, namespace, name).is_some();
        !name.is_empty() && cluster.is_listed(kind, namespace) && !is_known
    };
    let missing = wanted.flat_map(named);
    let missing = missing.filter(|(kind, name)| is_missing(kind, name));
    let drafts = missing.map(|(kind, name)| {
        let object = ObjectRef::new(kind, namespace, name);
        let sentence = format!("{object} does not exist, and {owner} needs it.");
        let draft = Draft::new(Cause::MissingReference, object, sentence);
        let draft = draft.affecting(owner.clone()).affecting(pod.id.clone());
        draft.shown_by(pod.source, name)
    });
    drafts.collect()
}

/// Returns kinds and names of the objects that a volume or a setting requires, without optional ones.
fn named(holder: &Value) -> impl Iterator<Item = (&str, &str)> {
    WORDS.references.iter().filter_map(|(kind, field)| {
        let (of, _) = field.rsplit_once('/')?;
        let is_optional = holder.at(of)?["optional"] == true;
        let name = holder.at(field)?.as_str()?;
        (!is_optional).then_some((kind.as_str(), name))
    })
}
