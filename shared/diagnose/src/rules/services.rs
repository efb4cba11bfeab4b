//! Recognises services that select no pod, or send to a wrong port or with a wrong protocol.

use serde_json::Value;

use super::messages::{first, selector};
use crate::cause::Cause;
use crate::cluster::{Cluster, Object};
use crate::facts::{is_port, port_text};
use crate::fields::Fields;
use crate::finding::Draft;

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for service in cluster.of_kind("Service") {
        let pods: Vec<&Object> = cluster.selected(service).collect();
        drafts.extend(match pods.is_empty() {
            true => selects_none(cluster, service),
            false => ports(cluster, service, &pods),
        });
    }
}

/// Drafts a finding for a service that selects no pod, if the service has no endpoints or the labels of all pods are
/// known.
fn selects_none(cluster: &Cluster, service: &Object) -> Option<Draft> {
    let id = &service.id;
    let wanted = service.labels("/spec/selector");
    let has_endpoints = cluster.has_endpoints(service);
    let pods = cluster.pods_in(&id.namespace);
    let pods: Vec<(&Object, Vec<_>)> = pods
        .filter(|pod| !pod.is_deleting())
        .map(|pod| (pod, pod.labels("/metadata/labels")))
        .collect();
    let has_labels = !pods.is_empty() && pods.iter().all(|(_, labels)| !labels.is_empty());
    let is_known =
        has_endpoints == Some(false) || has_labels && cluster.is_listed("Pod", &id.namespace);
    // Pods of a workload that is scaled to zero, or that can't be created, are missing for another reason.
    let is_made = cluster.makers(service).next().is_some();
    let mut workloads = cluster.workloads();
    let may_be_made = !has_labels
        && workloads
            .any(|workload| workload.id.name == id.name && workload.pod_labels().is_empty());
    if wanted.is_empty() || has_endpoints == Some(true) || !is_known || is_made || may_be_made {
        return None;
    }
    // A pod of the intended workload has a name that begins with the service's, or a label in common.
    let meant = pods.iter().find(|(pod, labels)| {
        pod.id.name.starts_with(&id.name) || wanted.iter().any(|pair| labels.contains(pair))
    });
    let labels = meant.map_or(String::new(), |(pod, labels)| {
        format!(" {} has {}.", pod.id, selector(labels))
    });
    let sentence = format!(
        "{id} selects no pods: no pod has its selector {}, so it has no endpoints.{labels}",
        selector(&wanted)
    );
    let draft = Draft::new(Cause::ServiceSelector, id.clone(), sentence);
    // Many clusters have a forgotten service, so a service without an intended pod is weak evidence.
    let draft = match meant {
        Some((pod, _)) => draft
            .affecting(cluster.owner(pod))
            .shown_by(pod.source, &pod.id.name)
            .weighing(5),
        None => draft.weighing(-10),
    };
    Some(draft.shown_by(service.source, &id.name))
}

/// Drafts a finding for a port whose target no container of the pods declares, or only with another protocol.
fn ports(cluster: &Cluster, service: &Object, pods: &[&Object]) -> Option<Draft> {
    let id = &service.id;
    let containers = pods.iter().flat_map(|pod| cluster.containers(pod));
    let open: Vec<&Value> = containers.flat_map(|one| one.ports()).collect();
    let listens = open.iter().map(|port| {
        let protocol = first(port.text("/protocol"), "TCP");
        format!("{}/{protocol}", port["containerPort"])
    });
    let listens = listens.collect::<Vec<_>>().join(", ");
    service.list("/spec/ports").iter().find_map(|port| {
        let number = port.number("/port")?;
        let protocol = first(port.text("/protocol"), "TCP");
        let target = port.get("targetPort").filter(|target| !target.is_null())?;
        let target = port_text(target);
        let mut fitting = open.iter().filter(|open| is_port(open, &target)).peekable();
        let (cause, what) = match fitting.peek() {
            _ if open.is_empty() => return None,
            None => (Cause::ServicePort, format!("port {number}")),
            Some(_) => (Cause::ServiceProtocol, protocol.to_owned()),
        };
        // A finding remains only if no container port fits, or only ports with another protocol do.
        if fitting.any(|open| ["", protocol].contains(&open.text("/protocol"))) {
            return None;
        }
        let sentence =
            format!("{id} sends {what} to port {target}, but its pods listen on {listens}.");
        let draft = Draft::new(cause, id.clone(), sentence)
            .shown_by(service.source, &target)
            .shown_by(service.source, &id.name);
        Some(draft.affecting(cluster.owner(pods.first()?)))
    })
}
