//! Workloads without all their replicas, and jobs that failed: what is left where no other rule finds why.

use super::messages::short;
use crate::cause::Cause;
use crate::cluster::Object;
use crate::facts::{Facts, text};
use crate::finding::Draft;

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for workload in facts
        .workloads
        .iter()
        .filter(|workload| workload.object.id.kind != "ReplicaSet")
    {
        let id = &workload.object.id;
        if workload.is_failed_job() {
            let failed = workload.failures().next();
            let why = failed.map_or("its pods fail", |condition| {
                match text(condition, "/reason") {
                    "" => "its pods fail",
                    reason => reason,
                }
            });
            let sentence = format!("{id} failed: {why}.");
            drafts.push(
                Draft::new(Cause::JobFailed, id.clone(), sentence)
                    .shown_by(workload.source(), &id.name),
            );
            continue;
        }
        let Some((wanted, ready)) = workload
            .replicas()
            .filter(|(wanted, ready)| ready < wanted && id.kind != "Job" && *wanted > 0)
        else {
            continue;
        };
        let reasons = workload
            .failures()
            .map(|condition| text(condition, "/reason"));
        let reasons: Vec<&str> = reasons.filter(|reason| !reason.is_empty()).collect();
        let why = match reasons.is_empty() {
            true => String::new(),
            false => format!(" ({})", short(&reasons.join(", "))),
        };
        // Pods that start need a while.
        let starts = facts
            .pods
            .iter()
            .filter(|pod| facts.owner(pod) == *id)
            .any(|pod| matches!(pod.status(), "ContainerCreating" | "PodInitializing"));
        if (starts || is_young(workload.object)) && reasons.is_empty() {
            continue;
        }
        let sentence = format!("{id} has {ready} of {wanted} replicas ready{why}.");
        drafts.push(
            Draft::new(Cause::ReplicasUnavailable, id.clone(), sentence)
                .shown_by(workload.source(), &id.name),
        );
    }
    for pod in facts
        .pods
        .iter()
        .filter(|pod| !pod.is_healthy() && !pod.is_deleting())
    {
        let id = &pod.object.id;
        let owner = facts.owner(pod);
        let is_starting = matches!(
            pod.status(),
            "ContainerCreating" | "PodInitializing" | "Terminating" | "Evicted"
        ) || pod.status().starts_with("Init:");
        if facts.workload_of(&owner).is_some() || is_starting || is_young(pod.object) {
            continue;
        }
        let sentence = format!("{id} is not ready (status {}).", pod.status());
        let (source, name) = pod.proof();
        drafts.push(
            Draft::new(Cause::ReplicasUnavailable, owner, sentence)
                .affecting(id.clone())
                .on_node(pod.node())
                .shown_by(source, &name)
                .weighing(-5),
        );
    }
}

/// Whether a list shows that an object is younger than a minute.
fn is_young(object: &Object) -> bool {
    object.value["isYoung"] == true
}
