//! Claims without a volume, and volumes that can't be mounted.

use super::messages::{has, short};
use super::scheduling::quantity;
use crate::cause::Cause;
use crate::cluster::Object;
use crate::facts::{Facts, list, text};
use crate::finding::Draft;

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for claim in facts.cluster.of_kind("PersistentVolumeClaim") {
        if matches!(text(&claim.value, "/status/phase"), "Pending" | "Lost") {
            drafts.extend(unbound(facts, claim));
        }
    }
    for event in facts
        .events
        .iter()
        .filter(|event| event.reason == "ProvisioningFailed")
    {
        if facts.cluster.objects.contains_key(&event.about) {
            continue;
        }
        let sentence = format!("{} gets no volume: {}.", event.about, short(event.message));
        let draft = Draft::new(Cause::VolumeNotBound, event.about.clone(), sentence).weighing(4);
        drafts.push(draft.shown_by(event.source, event.message));
    }
    for event in &facts.events {
        let is_mount = matches!(
            event.reason,
            "FailedMount" | "FailedAttachVolume" | "VolumeResizeFailed"
        );
        // Names of missing objects are for the rule of references.
        if !is_mount || facts.is_over(event) || event.message.contains("not found") {
            continue;
        }
        let what = match () {
            () if has(
                event.message,
                &["multi-attach", "already exclusively attached"],
            ) =>
            {
                "the volume is attached to another node"
            }
            () if has(event.message, &["permission denied", "access denied"]) => {
                "permission is denied"
            }
            () if has(event.message, &["timed out", "timeout"]) => "it takes too long",
            () => "it fails",
        };
        let object = facts.owner_of(&event.about);
        let sentence = format!(
            "A volume of {} can't be mounted: {what}. Kubernetes reports: {}.",
            event.about,
            short(event.message)
        );
        drafts.push(
            Draft::new(Cause::VolumeMount, object, sentence)
                .affecting(event.about.clone())
                .shown_by(event.source, event.message),
        );
    }
}

/// Why a claim is not bound; `None` if nothing needs it yet.
fn unbound(facts: &Facts<'_>, claim: &Object) -> Option<Draft> {
    let id = &claim.id;
    let class = text(&claim.value, "/spec/storageClassName");
    let events = facts
        .events
        .iter()
        .filter(|event| event.about.kind == "PersistentVolumeClaim" && event.about.name == id.name);
    let event = events
        .filter(|event| event.reason != "WaitForFirstConsumer")
        .max_by_key(|event| (event.reason == "ProvisioningFailed", event.message.len()));
    let unknown_class = !class.is_empty()
        && (event.is_some_and(|event| event.message.contains("not found"))
            || facts.cluster.is_listed("StorageClass", "")
                && facts.cluster.get("StorageClass", "", class).is_none());
    let is_wanted = facts.pods.iter().any(|pod| {
        pod.object.id.namespace == id.namespace && !pod.is_healthy() && pod.node().is_empty()
    });
    if !unknown_class && event.is_none() && !is_wanted {
        return None;
    }
    let volumes: Vec<&Object> = facts.cluster.of_kind("PersistentVolume").collect();
    let why = match () {
        () if unknown_class => format!("its storage class `{class}` does not exist"),
        () => misfit(claim, &volumes)
            .unwrap_or_else(|| "no volume fits it and none is provisioned".to_owned()),
    };
    let told = event.map_or(String::new(), |event| {
        format!(" Kubernetes reports: {}.", short(event.message))
    });
    let sentence = format!(
        "The PersistentVolumeClaim (PVC) {}/{} is misconfigured or can't be bound (Pending): {why}.{told}",
        id.namespace, id.name
    );
    let mut draft = Draft::new(Cause::VolumeNotBound, id.clone(), sentence).weighing(5);
    for pod in &facts.pods {
        let uses = list(&pod.object.value, "/spec/volumes")
            .iter()
            .any(|volume| text(volume, "/persistentVolumeClaim/claimName") == id.name);
        if uses && pod.object.id.namespace == id.namespace {
            draft = draft
                .affecting(facts.owner(pod))
                .affecting(pod.object.id.clone());
        }
    }
    if let Some(event) = event {
        draft = draft.shown_by(event.source, event.message);
    }
    Some(draft.shown_by(claim.sources.last().copied().unwrap_or(0), &id.name))
}

/// Why the nearest volume does not fit a claim.
fn misfit(claim: &Object, volumes: &[&Object]) -> Option<String> {
    let of = |object: &Object, pointer: &str| text(&object.value, pointer).to_owned();
    let class = of(claim, "/spec/storageClassName");
    let wanted = of(claim, "/spec/volumeName");
    let size = match of(claim, "/spec/resources/requests/storage") {
        size if size.is_empty() => of(claim, "/spec/capacity/storage"),
        size => size,
    };
    let modes = list(&claim.value, "/spec/accessModes");
    let reasons = volumes
        .iter()
        .filter(|volume| wanted.is_empty() || volume.id.name == wanted)
        .map(|volume| {
            let name = &volume.id.name;
            let other = of(volume, "/spec/claimRef/name");
            let offered = of(volume, "/spec/capacity/storage");
            let is_small = quantity(&size)
                .zip(quantity(&offered))
                .is_some_and(|(size, offered)| offered < size);
            let lacks_mode = modes.iter().any(|mode| {
                let offers = list(&volume.value, "/spec/accessModes");
                !offers.is_empty() && !offers.contains(mode)
            });
            let unmatched = claim
                .value
                .pointer("/spec/selector/matchLabels")
                .and_then(|labels| labels.as_object())
                .into_iter()
                .flatten()
                .any(|(key, value)| {
                    volume
                        .value
                        .pointer("/metadata/labels")
                        .and_then(|labels| labels.get(key))
                        != Some(value)
                });
            let reasons = [
                (
                    of(volume, "/spec/storageClassName") != class,
                    format!(
                        "volume `{name}` has another storage class (`{}` instead of `{class}`)",
                        of(volume, "/spec/storageClassName")
                    ),
                ),
                (
                    !other.is_empty() && !other.ends_with(&claim.id.name),
                    format!("volume `{name}` is bound to another claim ({other})"),
                ),
                (
                    unmatched,
                    format!("volume `{name}` has not the labels of its selector"),
                ),
                (
                    lacks_mode,
                    format!(
                        "volume `{name}` does not offer its access mode {}",
                        modes
                            .iter()
                            .filter_map(|mode| mode.as_str())
                            .collect::<Vec<_>>()
                            .join(", ")
                    ),
                ),
                (
                    is_small,
                    format!("volume `{name}` is too small ({offered}, it asks for {size})"),
                ),
            ];
            let reasons: Vec<String> = reasons
                .into_iter()
                .filter_map(|(is, why)| is.then_some(why))
                .collect();
            (reasons.len(), reasons.join(", "))
        });
    let nearest = reasons
        .filter(|(count, _)| *count > 0)
        .min_by_key(|(count, _)| *count);
    nearest.map(|(_, why)| why)
}
