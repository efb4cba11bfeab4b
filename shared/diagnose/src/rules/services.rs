//! Services that send to no pod, or to the wrong port.

use crate::cause::Cause;
use crate::facts::{Container, Facts, Pod, Service};
use crate::finding::Draft;

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for service in facts
        .services
        .iter()
        .filter(|service| !service.selector().is_empty())
    {
        let pods: Vec<&Pod<'_>> = service.pods(facts).collect();
        match pods.is_empty() {
            true => drafts.extend(selects_none(facts, service)),
            false => drafts.extend(ports(facts, service, &pods)),
        }
    }
}

fn show(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    pairs.join(",")
}

/// A service whose labels no pod has, where the labels of pods are known.
fn selects_none(facts: &Facts<'_>, service: &Service<'_>) -> Option<Draft> {
    let id = &service.object.id;
    if service.has_endpoints(facts) == Some(true) {
        return None;
    }
    let of_namespace = || {
        facts
            .pods
            .iter()
            .filter(|pod| pod.object.id.namespace == id.namespace && !pod.is_deleting())
    };
    let has_labels =
        of_namespace().next().is_some() && of_namespace().all(|pod| !pod.labels().is_empty());
    let is_known = service.has_endpoints(facts) == Some(false)
        || has_labels && facts.cluster.is_listed("Pod", &id.namespace);
    // Pods of a workload that is scaled to zero, or can't be made, are missing for another reason.
    let makes = facts.workloads.iter().find(|workload| {
        workload.object.id.namespace == id.namespace && service.selects(&workload.pod_labels())
    });
    if !is_known
        || makes.is_some()
        || !has_labels
            && facts.workloads.iter().any(|workload| {
                workload.object.id.name == id.name && workload.pod_labels().is_empty()
            })
    {
        return None;
    }
    // The workload that was meant has the service's name, or a label in common.
    let selector = service.selector();
    let meant = of_namespace().find(|pod| {
        pod.object.id.name.starts_with(&id.name)
            || selector.iter().any(|pair| pod.labels().contains(pair))
    });
    let labels = meant.map_or(String::new(), |pod| {
        format!(" {} has {}.", pod.object.id, show(&pod.labels()))
    });
    let sentence = format!(
        "{id} selects no pods: no pod has its selector {}, so it has no endpoints.{labels}",
        show(&selector)
    );
    let mut draft = Draft::new(Cause::ServiceSelector, id.clone(), sentence);
    if let Some(pod) = meant {
        draft = draft
            .affecting(facts.owner(pod))
            .shown_by(pod.proof().0, &pod.object.id.name);
    }
    // Many clusters have a forgotten service: one that is probed by nothing is a small clue.
    let weight = match meant.is_some() {
        true => 5,
        false => -10,
    };
    Some(draft.shown_by(service.source(), &id.name).weighing(weight))
}

fn ports(facts: &Facts<'_>, service: &Service<'_>, pods: &[&Pod<'_>]) -> Option<Draft> {
    let id = &service.object.id;
    let mut containers: Vec<Container<'_>> = pods
        .iter()
        .flat_map(|pod| pod.containers())
        .filter(|container| !container.ports().is_empty())
        .collect();
    if containers.is_empty() {
        let makers = facts.workloads.iter().filter(|workload| {
            workload.object.id.namespace == id.namespace && service.selects(&workload.pod_labels())
        });
        containers = makers
            .flat_map(|workload| workload.containers())
            .filter(|container| !container.ports().is_empty())
            .collect();
    }
    if containers.is_empty() {
        return None;
    }
    let open: Vec<(&str, i64, &str)> = containers
        .iter()
        .flat_map(|container| container.ports())
        .collect();
    for port in service.ports() {
        let target = match port.target {
            Some(serde_json::Value::String(name)) => name.clone(),
            Some(number) => number.to_string(),
            None => continue,
        };
        let fits: Vec<_> = open
            .iter()
            .filter(|(name, number, _)| *name == target || number.to_string() == target)
            .collect();
        let listens: Vec<String> = open
            .iter()
            .map(|(_, number, protocol)| {
                format!(
                    "{number}/{}",
                    if protocol.is_empty() { "TCP" } else { protocol }
                )
            })
            .collect();
        let owner = pods.first().map(|pod| facts.owner(pod));
        let (cause, sentence) = match fits.as_slice() {
            [] => (
                Cause::ServicePort,
                format!(
                    "{id} sends port {} to port {target}, but its pods listen on {}.",
                    port.number,
                    listens.join(", ")
                ),
            ),
            found
                if found
                    .iter()
                    .all(|(_, _, protocol)| !protocol.is_empty() && *protocol != port.protocol) =>
            {
                (
                    Cause::ServiceProtocol,
                    format!(
                        "{id} sends {} to port {target}, but its pods listen on {}.",
                        port.protocol,
                        listens.join(", ")
                    ),
                )
            }
            _ => continue,
        };
        let mut draft = Draft::new(cause, id.clone(), sentence)
            .shown_by(service.source(), &target)
            .shown_by(service.source(), &id.name);
        if let Some(owner) = owner {
            draft = draft.affecting(owner);
        }
        return Some(draft);
    }
    None
}
