//! Claims without a volume, and volumes that can't be mounted.

use super::messages::{has, reported, short};
use super::scheduling::quantity;
use crate::cause::Cause;
use crate::cluster::Object;
use crate::facts::{Event, Facts, labels, list, text};
use crate::finding::Draft;

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for claim in facts.cluster.of_kind("PersistentVolumeClaim") {
        if matches!(text(&claim.value, "/status/phase"), "Pending" | "Lost") {
            drafts.extend(unbound(facts, claim));
        }
    }
    for event in &facts.events {
        let about = &event.about;
        match event.reason {
            "ProvisioningFailed" if !facts.cluster.objects.contains_key(about) => {
                let sentence = format!("{about} gets no volume: {}.", short(event.message));
                let draft = Draft::new(Cause::VolumeNotBound, about.clone(), sentence);
                drafts.push(draft.told_by(event).weighing(4));
            }
            // Names of missing objects are for the rule of references.
            "FailedMount" | "FailedAttachVolume" | "VolumeResizeFailed"
                if !facts.is_over(event) && !event.message.contains("not found") =>
            {
                drafts.push(unmounted(facts, event));
            }
            _ => {}
        }
    }
}

fn unmounted(facts: &Facts<'_>, event: &Event<'_>) -> Draft {
    let says = |words: &[&str]| has(event.message, words);
    let what = match () {
        () if says(&["multi-attach", "already exclusively attached"]) => {
            "the volume is attached to another node"
        }
        () if says(&["permission denied", "access denied"]) => "permission is denied",
        () if says(&["timed out", "timeout"]) => "it takes too long",
        () => "it fails",
    };
    let (about, reported) = (&event.about, reported(event.message));
    let sentence = format!("A volume of {about} can't be mounted: {what}.{reported}");
    Draft::new(Cause::VolumeMount, facts.owner_of(about), sentence).told_by(event)
}

/// Why a claim is not bound; `None` if nothing needs it yet.
fn unbound(facts: &Facts<'_>, claim: &Object) -> Option<Draft> {
    let id = &claim.id;
    let class = text(&claim.value, "/spec/storageClassName");
    let event = facts
        .events
        .iter()
        .filter(|event| event.about.kind == id.kind && event.about.name == id.name)
        .filter(|event| event.reason != "WaitForFirstConsumer")
        .max_by_key(|event| (event.reason == "ProvisioningFailed", event.message.len()));
    let unknown_class = !class.is_empty()
        && (event.is_some_and(|event| event.message.contains("not found"))
            || facts.cluster.is_listed("StorageClass", "")
                && facts.cluster.get("StorageClass", "", class).is_none());
    let is_wanted = facts
        .pods_in(&id.namespace)
        .any(|pod| !pod.is_healthy() && pod.node().is_empty());
    if !unknown_class && event.is_none() && !is_wanted {
        return None;
    }
    let why = match unknown_class {
        true => format!("its storage class `{class}` does not exist"),
        false => misfit(facts, claim)
            .unwrap_or_else(|| "no volume fits it and none is provisioned".to_owned()),
    };
    let told = event.map_or(String::new(), |event| reported(event.message));
    let sentence = format!(
        "The PersistentVolumeClaim (PVC) {}/{} is misconfigured or can't be bound (Pending): {why}.{told}",
        id.namespace, id.name
    );
    let mut draft = Draft::new(Cause::VolumeNotBound, id.clone(), sentence).weighing(5);
    for pod in facts.pods_in(&id.namespace) {
        let mut volumes = list(&pod.object.value, "/spec/volumes").iter();
        if volumes.any(|volume| text(volume, "/persistentVolumeClaim/claimName") == id.name) {
            draft = draft
                .affecting(facts.owner(pod))
                .affecting(pod.object.id.clone());
        }
    }
    if let Some(event) = event {
        draft = draft.shown_by(event.source, event.message);
    }
    Some(draft.shown_by(claim.source(), &id.name))
}

/// Why the nearest volume does not fit a claim.
fn misfit(facts: &Facts<'_>, claim: &Object) -> Option<String> {
    let wanted = text(&claim.value, "/spec/volumeName");
    facts
        .cluster
        .of_kind("PersistentVolume")
        .filter(|volume| wanted.is_empty() || volume.id.name == wanted)
        .map(|volume| misfits(claim, volume))
        .filter(|reasons| !reasons.is_empty())
        .min_by_key(Vec::len)
        .map(|reasons| reasons.join(", "))
}

/// All that of a volume does not fit a claim.
fn misfits(claim: &Object, volume: &Object) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut check = |fits: bool, why: String| {
        if !fits {
            reasons.push(format!("volume `{}` {why}", volume.id.name));
        }
    };
    let class = text(&claim.value, "/spec/storageClassName");
    let own_class = text(&volume.value, "/spec/storageClassName");
    check(
        own_class == class,
        format!("has another storage class (`{own_class}` instead of `{class}`)"),
    );
    let other = text(&volume.value, "/spec/claimRef/name");
    check(
        other.ends_with(&claim.id.name) || other.is_empty(),
        format!("is bound to another claim ({other})"),
    );
    let own_labels = labels(&volume.value, "/metadata/labels");
    let selector = labels(&claim.value, "/spec/selector/matchLabels");
    check(
        selector.iter().all(|label| own_labels.contains(label)),
        "has not the labels of its selector".to_owned(),
    );
    let modes = list(&claim.value, "/spec/accessModes");
    let offered_modes = list(&volume.value, "/spec/accessModes");
    let names: Vec<&str> = modes.iter().filter_map(|mode| mode.as_str()).collect();
    check(
        offered_modes.is_empty() || modes.iter().all(|mode| offered_modes.contains(mode)),
        format!("does not offer its access mode {}", names.join(", ")),
    );
    let size = match text(&claim.value, "/spec/resources/requests/storage") {
        "" => text(&claim.value, "/spec/capacity/storage"),
        size => size,
    };
    let offered = text(&volume.value, "/spec/capacity/storage");
    let sizes = quantity(size).zip(quantity(offered));
    check(
        sizes.is_none_or(|(size, offered)| offered >= size),
        format!("is too small ({offered}, it asks for {size})"),
    );
    reasons
}
