//! Recognises persistent volume claims without a volume, and volumes that can't be mounted.

use super::messages::{has, reported, short};
use super::scheduling::quantity;
use crate::cause::Cause;
use crate::cluster::{Cluster, Event, Object};
use crate::fields::Fields;
use crate::finding::Draft;

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for claim in cluster.of_kind("PersistentVolumeClaim") {
        if matches!(claim.status(), "Pending" | "Lost") {
            drafts.extend(unbound(cluster, claim));
        }
    }
    for event in &cluster.events {
        let (about, message) = (&event.about, &event.message);
        match event.reason.as_str() {
            "ProvisioningFailed" if !cluster.objects.contains_key(about) => {
                let sentence = format!("{about} gets no volume: {}.", short(message));
                let draft = Draft::new(Cause::VolumeNotBound, about.clone(), sentence);
                drafts.push(draft.shown_by_event(event).weighing(4));
            }
            // The rule in `references` handles messages about missing objects.
            "FailedMount" | "FailedAttachVolume" | "VolumeResizeFailed"
                if !cluster.is_over(event) && !message.contains("not found") =>
            {
                drafts.push(unmounted(cluster, event));
            }
            _ => {}
        }
    }
}

fn unmounted(cluster: &Cluster, event: &Event) -> Draft {
    let says = |words: &[&str]| has(&event.message, words);
    let what = if says(&["multi-attach", "already exclusively attached"]) {
        "the volume is attached to another node"
    } else if says(&["permission denied", "access denied"]) {
        "permission is denied"
    } else if says(&["timed out", "timeout"]) {
        "it takes too long"
    } else {
        "it fails"
    };
    let (about, reported) = (&event.about, reported(&event.message));
    let sentence = format!("A volume of {about} can't be mounted: {what}.{reported}");
    Draft::new(Cause::VolumeMount, cluster.owner_of(about), sentence).shown_by_event(event)
}

/// Drafts a finding for a claim that is not bound; `None` if no pod needs it yet.
fn unbound(cluster: &Cluster, claim: &Object) -> Option<Draft> {
    let id = &claim.id;
    let class = claim.text("/spec/storageClassName");
    let events = cluster.events.iter();
    let event = events
        .filter(|event| event.about.kind == id.kind && event.about.name == id.name)
        .filter(|event| event.reason != "WaitForFirstConsumer")
        .max_by_key(|event| (event.reason == "ProvisioningFailed", event.message.len()));
    let unknown_class = !class.is_empty()
        && (event.is_some_and(|event| event.message.contains("not found"))
            || cluster.is_listed("StorageClass", "")
                && cluster.get("StorageClass", "", class).is_none());
    let mut pods = cluster.pods_in(&id.namespace);
    let is_wanted = pods.any(|pod| !pod.is_healthy() && pod.node().is_empty());
    if !unknown_class && event.is_none() && !is_wanted {
        return None;
    }
    let why = match unknown_class {
        true => format!("its storage class `{class}` does not exist"),
        false => misfit(cluster, claim)
            .unwrap_or_else(|| "no volume fits it and none is provisioned".to_owned()),
    };
    let told = event.map_or(String::new(), |event| reported(&event.message));
    let sentence = format!(
        "The PersistentVolumeClaim (PVC) {}/{} is misconfigured or can't be bound (Pending): {why}.{told}",
        id.namespace, id.name
    );
    let mut draft = Draft::new(Cause::VolumeNotBound, id.clone(), sentence).weighing(5);
    for pod in cluster.pods_in(&id.namespace) {
        let mut volumes = pod.list("/spec/volumes").iter();
        if volumes.any(|volume| volume.text("/persistentVolumeClaim/claimName") == id.name) {
            draft = draft
                .affecting(cluster.owner(pod))
                .affecting(pod.id.clone());
        }
    }
    if let Some(event) = event {
        draft = draft.shown_by(event.source, &event.message);
    }
    Some(draft.shown_by(claim.source, &id.name))
}

/// Describes why the volume that fits a claim best does not fit it.
fn misfit(cluster: &Cluster, claim: &Object) -> Option<String> {
    let wanted = claim.text("/spec/volumeName");
    let volumes = cluster.of_kind("PersistentVolume");
    let reasons = volumes
        .filter(|volume| wanted.is_empty() || volume.id.name == wanted)
        .map(|volume| misfits(claim, volume))
        .filter(|reasons| !reasons.is_empty());
    Some(reasons.min_by_key(Vec::len)?.join(", "))
}

/// Lists every property of a volume that does not fit a claim.
fn misfits(claim: &Object, volume: &Object) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut check = |fits: bool, why: String| {
        if !fits {
            reasons.push(format!("volume `{}` {why}", volume.id.name));
        }
    };
    let class = claim.text("/spec/storageClassName");
    let own_class = volume.text("/spec/storageClassName");
    check(
        own_class == class,
        format!("has another storage class (`{own_class}` instead of `{class}`)"),
    );
    let other = volume.text("/spec/claimRef/name");
    check(
        other.ends_with(&claim.id.name) || other.is_empty(),
        format!("is bound to another claim ({other})"),
    );
    let own_labels = volume.labels("/metadata/labels");
    let selector = claim.labels("/spec/selector/matchLabels");
    check(
        selector.iter().all(|label| own_labels.contains(label)),
        "has not the labels of its selector".to_owned(),
    );
    let modes = claim.list("/spec/accessModes");
    let offered_modes = volume.list("/spec/accessModes");
    let names: Vec<&str> = modes.iter().filter_map(|mode| mode.as_str()).collect();
    check(
        offered_modes.is_empty() || modes.iter().all(|mode| offered_modes.contains(mode)),
        format!("does not offer its access mode {}", names.join(", ")),
    );
    let size = match claim.text("/spec/resources/requests/storage") {
        "" => claim.text("/spec/capacity/storage"),
        size => size,
    };
    let offered = volume.text("/spec/capacity/storage");
    let sizes = quantity(size).zip(quantity(offered));
    check(
        sizes.is_none_or(|(size, offered)| offered >= size),
        format!("is too small ({offered}, it asks for {size})"),
    );
    reasons
}
