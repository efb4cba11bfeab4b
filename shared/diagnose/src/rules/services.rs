//! Services that send to no pod, or to the wrong port.

use super::messages::selector;
use crate::cause::Cause;
use crate::facts::{ContainerPort, Facts, Pod, Service};
use crate::finding::Draft;

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    let services = facts.services.iter();
    for service in services.filter(|service| !service.selector().is_empty()) {
        let pods: Vec<&Pod<'_>> = service.pods(facts).collect();
        match pods.is_empty() {
            true => drafts.extend(selects_none(facts, service)),
            false => drafts.extend(ports(facts, service, &pods)),
        }
    }
}

/// A service whose labels no pod has, where the labels of pods are known.
fn selects_none(facts: &Facts<'_>, service: &Service<'_>) -> Option<Draft> {
    let id = &service.object.id;
    let has_endpoints = service.has_endpoints(facts);
    let of_namespace = || {
        let pods = facts.pods_in(&id.namespace);
        pods.filter(|pod| !pod.is_deleting())
    };
    let has_labels =
        of_namespace().next().is_some() && of_namespace().all(|pod| !pod.labels().is_empty());
    let is_known =
        has_endpoints == Some(false) || has_labels && facts.cluster.is_listed("Pod", &id.namespace);
    // Pods of a workload that is scaled to zero, or can't be made, are missing for another reason.
    let is_made = service.makers(facts).next().is_some();
    let may_be_made = !has_labels
        && facts
            .workloads
            .iter()
            .any(|workload| workload.object.id.name == id.name && workload.pod_labels().is_empty());
    if has_endpoints == Some(true) || !is_known || is_made || may_be_made {
        return None;
    }
    // The workload that was meant has the service's name, or a label in common.
    let wanted = service.selector();
    let meant = of_namespace().find(|pod| {
        pod.object.id.name.starts_with(&id.name)
            || wanted.iter().any(|pair| pod.labels().contains(pair))
    });
    let labels = meant.map_or(String::new(), |pod| {
        format!(" {} has {}.", pod.object.id, selector(&pod.labels()))
    });
    let sentence = format!(
        "{id} selects no pods: no pod has its selector {}, so it has no endpoints.{labels}",
        selector(&wanted)
    );
    let mut draft = Draft::new(Cause::ServiceSelector, id.clone(), sentence);
    if let Some(pod) = meant {
        draft = draft
            .affecting(facts.owner(pod))
            .shown_by(pod.object.source(), &pod.object.id.name);
    }
    // Many clusters have a forgotten service: one that is probed by nothing is a small clue.
    let weight = match meant.is_some() {
        true => 5,
        false => -10,
    };
    let draft = draft.shown_by(service.object.source(), &id.name);
    Some(draft.weighing(weight))
}

fn ports(facts: &Facts<'_>, service: &Service<'_>, pods: &[&Pod<'_>]) -> Option<Draft> {
    let id = &service.object.id;
    let of_pods = pods.iter().flat_map(|pod| pod.containers());
    let mut open: Vec<ContainerPort<'_>> = of_pods.flat_map(|one| one.ports()).collect();
    if open.is_empty() {
        let made = service.makers(facts).flat_map(|maker| maker.containers());
        open = made.flat_map(|one| one.ports()).collect();
    }
    let listens: Vec<String> = open
        .iter()
        .map(|port| match port.protocol {
            "" => format!("{}/TCP", port.number),
            protocol => format!("{}/{protocol}", port.number),
        })
        .collect();
    let listens = listens.join(", ");
    service.ports().into_iter().find_map(|port| {
        let target = port.target.filter(|_| !open.is_empty())?;
        let mut fitting = open.iter().filter(|open| open.is(&target)).peekable();
        let (cause, what) = match fitting.peek() {
            None => (Cause::ServicePort, format!("port {}", port.number)),
            Some(_) => (Cause::ServiceProtocol, port.protocol.to_owned()),
        };
        // Of no port, or of ports with other protocols alone.
        if fitting.any(|open| ["", port.protocol].contains(&open.protocol)) {
            return None;
        }
        let sentence =
            format!("{id} sends {what} to port {target}, but its pods listen on {listens}.");
        let draft = Draft::new(cause, id.clone(), sentence)
            .shown_by(service.object.source(), &target)
            .shown_by(service.object.source(), &id.name);
        Some(match pods.first() {
            Some(pod) => draft.affecting(facts.owner(pod)),
            None => draft,
        })
    })
}
