//! Workloads without all their replicas, and jobs that failed: what is left where no other rule finds why.

use super::messages::short;
use crate::cause::Cause;
use crate::cluster::Object;
use crate::facts::{Facts, Workload, text};
use crate::finding::Draft;

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    let workloads = facts.workloads.iter();
    for workload in workloads.filter(|workload| workload.object.id.kind != "ReplicaSet") {
        let id = &workload.object.id;
        let found = match workload.is_failed_job() {
            true => Some((Cause::JobFailed, failed_job(workload))),
            false => incomplete(facts, workload).map(|it| (Cause::ReplicasUnavailable, it)),
        };
        drafts.extend(found.map(|(cause, sentence)| {
            let draft = Draft::new(cause, id.clone(), sentence);
            draft.shown_by(workload.object.source(), &id.name)
        }));
    }
    for pod in facts.failing() {
        let owner = facts.owner(pod);
        let is_starting = matches!(
            pod.status(),
            "ContainerCreating" | "PodInitializing" | "Terminating" | "Evicted"
        ) || pod.status().starts_with("Init:");
        if facts.workload_of(&owner).is_some() || is_starting || is_young(pod.object) {
            continue;
        }
        let (id, status) = (&pod.object.id, pod.status());
        let sentence = format!("{id} is not ready (status {status}).");
        let draft = Draft::new(Cause::ReplicasUnavailable, owner, sentence);
        drafts.push(draft.seen_at(pod).on_node(pod.node()).weighing(-5));
    }
}

fn failed_job(job: &Workload<'_>) -> String {
    let why = job.failures().next();
    let why = match why.map_or("", |condition| text(condition, "/reason")) {
        "" => "its pods fail",
        reason => reason,
    };
    format!("{} failed: {why}.", job.object.id)
}

/// What a workload lacks; `None`: it has all its replicas, or they start.
fn incomplete(facts: &Facts<'_>, workload: &Workload<'_>) -> Option<String> {
    let id = &workload.object.id;
    let (wanted, ready) = workload.replicas()?;
    let reasons = workload
        .failures()
        .map(|condition| text(condition, "/reason"));
    let reasons: Vec<&str> = reasons.filter(|reason| !reason.is_empty()).collect();
    // Pods that start need a while.
    let starts = || {
        let mut pods = facts.pods.iter().filter(|pod| facts.owner(pod) == *id);
        pods.any(|pod| matches!(pod.status(), "ContainerCreating" | "PodInitializing"))
    };
    if id.kind == "Job"
        || ready >= wanted
        || reasons.is_empty() && (is_young(workload.object) || starts())
    {
        return None;
    }
    let why = match reasons.is_empty() {
        true => String::new(),
        false => format!(" ({})", short(&reasons.join(", "))),
    };
    Some(format!("{id} has {ready} of {wanted} replicas ready{why}."))
}

/// Whether a list shows that an object is younger than a minute.
fn is_young(object: &Object) -> bool {
    object.value["isYoung"] == true
}
