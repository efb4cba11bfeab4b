//! Recognises workloads that lack replicas, and failed jobs. These symptoms matter if no other rule finds their cause.

use super::messages::{first, short, within};
use crate::cause::Cause;
use crate::cluster::{Cluster, Object};
use crate::fields::Fields;
use crate::finding::Draft;

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    let workloads = cluster.workloads();
    for workload in workloads.filter(|workload| workload.id.kind != "ReplicaSet") {
        let id = &workload.id;
        let found = match workload.is_failed_job() {
            true => Some((Cause::JobFailed, failed_job(workload))),
            false => incomplete(cluster, workload).map(|it| (Cause::ReplicasUnavailable, it)),
        };
        drafts.extend(found.map(|(cause, sentence)| {
            let draft = Draft::new(cause, id.clone(), sentence);
            draft.shown_by(workload.source, &id.name)
        }));
    }
    for pod in cluster.failing() {
        let (id, status, owner) = (&pod.id, pod.status(), cluster.owner(pod));
        let is_starting = is_starting(pod) || matches!(status, "Terminating" | "Evicted");
        if cluster.workload_of(&owner).is_some()
            || is_starting
            || status.starts_with("Init:")
            || is_young(pod)
        {
            continue;
        }
        let sentence = format!("{id} is not ready (status {status}).");
        let draft = Draft::new(Cause::ReplicasUnavailable, owner, sentence);
        drafts.push(draft.shown_by_object(pod).on_node(pod.node()).weighing(-5));
    }
}

fn failed_job(job: &Object) -> String {
    let why = job.failures().next();
    let why = why.map_or("", |condition| condition.text("/reason"));
    format!("{} failed: {}.", job.id, first(why, "its pods fail"))
}

/// Describes the missing replicas of a workload; `None` if none are missing, or if they are still starting.
fn incomplete(cluster: &Cluster, workload: &Object) -> Option<String> {
    let id = &workload.id;
    let (wanted, ready) = workload.replicas()?;
    let reasons = workload.failures();
    let reasons = reasons.map(|condition| condition.text("/reason"));
    let reasons: Vec<&str> = reasons.filter(|reason| !reason.is_empty()).collect();
    // Pods need a while to start.
    let starts = || {
        let mut pods = cluster.pods().filter(|pod| is_starting(pod));
        pods.any(|pod| cluster.owner(pod) == *id)
    };
    if id.kind == "Job" || ready >= wanted || reasons.is_empty() && (is_young(workload) || starts())
    {
        return None;
    }
    let why = within(" (", &short(&reasons.join(", ")), ")");
    Some(format!("{id} has {ready} of {wanted} replicas ready{why}."))
}

fn is_starting(pod: &Object) -> bool {
    matches!(pod.status(), "ContainerCreating" | "PodInitializing")
}

/// Whether a table shows that an object is younger than a minute.
fn is_young(object: &Object) -> bool {
    object.value["isYoung"] == true
}
