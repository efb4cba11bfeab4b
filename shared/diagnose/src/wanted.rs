//! What should be read next.

use serde_json::Value;

use crate::cluster::Cluster;
use crate::facts::{Facts, Pod, text};
use crate::rank::Focus;

/// Pods that are read one by one.
const PODS: usize = 3;
/// Workloads that are read one by one.
const WORKLOADS: usize = 2;

/// A reading of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Events.
    Events,
    /// All objects of a kind.
    List(&'static str),
    /// One object.
    Get(&'static str, String),
    /// The end of a pod's log; of its last run if `previous`.
    Log {
        /// Pod.
        pod: String,
        /// Whether it is the log of the run before the last restart.
        previous: bool,
    },
}

/// The namespace of an alert, and the readings that a diagnosis of it wants after what is known already, the most useful
/// first. Those that were made are among them.
#[must_use]
pub fn wanted(cluster: &Cluster, alert: &Value) -> (Option<String>, Vec<Reading>) {
    let focus = Focus::new(alert);
    let facts = Facts::new(cluster);
    let mut readings = vec![Reading::Events, Reading::List("Pod")];
    let mut add = |reading: Reading| {
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    };
    if alert
        .to_string()
        .to_ascii_lowercase()
        .contains("terminating")
        && let Some(namespace) = &focus.namespace
    {
        add(Reading::Get("Namespace", namespace.clone()));
    }
    let is_meant = |pod: &&Pod<'_>| {
        let namespace = &pod.object.id.namespace;
        focus
            .namespace
            .as_ref()
            .is_none_or(|meant| meant == namespace)
    };
    let mut failing: Vec<&Pod<'_>> = facts
        .pods
        .iter()
        .filter(is_meant)
        .filter(|pod| !pod.is_healthy() && !pod.is_deleting())
        .collect();
    failing.sort_by_key(|pod| {
        !focus.names(&pod.object.id.name) && !focus.names(&facts.owner(pod).name)
    });
    let mut owners = Vec::new();
    failing.retain(|pod| {
        let owner = facts.owner(pod);
        let is_new = !owners.contains(&owner);
        owners.push(owner);
        is_new
    });
    for pod in failing.iter().take(PODS) {
        let name = &pod.object.id.name;
        add(Reading::Get("Pod", name.clone()));
        if (!pod.node().is_empty() || pod.restarts() > 0) && pod.status() != "Pending" {
            add(Reading::Log {
                pod: name.clone(),
                previous: pod.restarts() > 0,
            });
        }
    }
    add(Reading::List("Deployment"));
    let has_event = |reason: &str| facts.current(reason).next().is_some();
    if has_event("FailedCreate")
        || facts
            .workloads
            .iter()
            .any(|workload| workload.failures().next().is_some())
    {
        add(Reading::List("ResourceQuota"));
    }
    let is_pending = failing.iter().any(|pod| pod.node().is_empty());
    if is_pending
        || has_event("FailedScheduling")
        || has_event("NodeNotReady")
        || has_event("Evicted")
    {
        add(Reading::List("Node"));
    }
    let waits_for_volume = facts.events.iter().any(|event| {
        event.message.contains("ersistentVolumeClaim")
            || event.message.contains("persistentvolumeclaim")
            || event.reason == "ProvisioningFailed"
    });
    if waits_for_volume
        || failing
            .iter()
            .any(|pod| pod.unscheduled().contains("ersistentVolumeClaim"))
    {
        for kind in ["PersistentVolumeClaim", "PersistentVolume", "StorageClass"] {
            add(Reading::List(kind));
        }
    }
    add(Reading::List("Service"));
    add(Reading::List("Endpoints"));
    let incomplete = facts
        .workloads
        .iter()
        .filter(|workload| workload.replicas().is_some() && !workload.is_complete());
    let named = facts
        .workloads
        .iter()
        .filter(|workload| focus.names(&workload.object.id.name));
    let deployments = incomplete
        .chain(named)
        .filter(|workload| workload.object.id.kind == "Deployment");
    for workload in deployments.take(WORKLOADS) {
        add(Reading::Get("Deployment", workload.object.id.name.clone()));
    }
    for service in facts
        .services
        .iter()
        .filter(|service| service.has_endpoints(&facts) == Some(false))
        .take(2)
    {
        add(Reading::Get("Service", service.object.id.name.clone()));
    }
    if failing.is_empty() {
        add(Reading::List("Node"));
        let pods = facts
            .pods
            .iter()
            .filter(is_meant)
            .filter(|pod| text(&pod.object.value, "/status/phase") != "Succeeded");
        for pod in pods
            .filter(|pod| focus.names(&pod.object.id.name) || focus.names(&facts.owner(pod).name))
            .take(2)
        {
            add(Reading::Log {
                pod: pod.object.id.name.clone(),
                previous: false,
            });
        }
    }
    add(Reading::List("NetworkPolicy"));
    (focus.namespace, readings)
}
