//! Recognises persistent volume claims without a volume.

use super::messages::{first, reported};
use super::scheduling::quantity;
use crate::cause::Cause;
use crate::cluster::{Cluster, Object};
use crate::fields::Fields;
use crate::finding::Draft;

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for claim in cluster.of_kind("PersistentVolumeClaim") {
        if matches!(claim.status(), "Pending" | "Lost") {
            drafts.extend(unbound(cluster, claim));
        }
    }
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
    let class = claim.text("/spec/storageClassName");
    let own_class = volume.text("/spec/storageClassName");
    let other = volume.text("/spec/claimRef/name");
    let own_labels = volume.labels("/metadata/labels");
    let selector = claim.labels("/spec/selector/matchLabels");
    let modes = claim.list("/spec/accessModes");
    let offered_modes = volume.list("/spec/accessModes");
    let names: Vec<&str> = modes.iter().filter_map(|mode| mode.as_str()).collect();
    let requested = claim.text("/spec/resources/requests/storage");
    let size = first(requested, claim.text("/spec/capacity/storage"));
    let offered = volume.text("/spec/capacity/storage");
    let sizes = quantity(size).zip(quantity(offered));
    let checks = [
        (
            own_class == class,
            format!("has another storage class (`{own_class}` instead of `{class}`)"),
        ),
        (
            other.ends_with(&claim.id.name) || other.is_empty(),
            format!("is bound to another claim ({other})"),
        ),
        (
            selector.iter().all(|label| own_labels.contains(label)),
            "has not the labels of its selector".to_owned(),
        ),
        (
            offered_modes.is_empty() || modes.iter().all(|mode| offered_modes.contains(mode)),
            format!("does not offer its access mode {}", names.join(", ")),
        ),
        (
            sizes.is_none_or(|(size, offered)| offered >= size),
            format!("is too small ({offered}, it asks for {size})"),
        ),
    ];
    let failed = checks.into_iter().filter(|(fits, _)| !fits);
    failed
        .map(|(_, why)| format!("volume `{}` {why}", volume.id.name))
        .collect()
}
