//! Chooses which parts of a cluster to read next.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cluster::{Cluster, Object};
use crate::fields::Fields;
use crate::rank::Focus;

/// Maximum number of failing pods that are read one by one.
const PODS: usize = 3;
/// Maximum number of workloads that are read one by one.
const WORKLOADS: usize = 2;
/// Maximum number of services without endpoints that are read one by one.
const SERVICES: usize = 2;
/// Maximum number of pods whose logs are read if no pod fails.
const HEALTHY_PODS: usize = 2;

/// One read of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// All events.
    Events,
    /// All objects of a kind.
    List(&'static str),
    /// One object, by kind and name.
    Get(&'static str, String),
    /// The end of a pod's log.
    Log {
        /// Name of the pod.
        pod: String,
        /// Whether to read the log of the run before the last restart.
        previous: bool,
    },
}

/// Returns the namespace of an alert, and the reads that its diagnosis needs, the most useful first.
///
/// The reads depend on what is already known of the cluster. Those that were already made are included.
#[must_use]
pub fn wanted(cluster: &Cluster, alert: &Value) -> (Option<String>, Vec<Reading>) {
    let focus = Focus::new(alert);
    let get = |kind, object: &Object| Reading::Get(kind, object.id.name.clone());
    let log = |pod: &Object, previous| Reading::Log {
        pod: pod.id.name.clone(),
        previous,
    };
    let is_meant = |pod: &&Object| {
        let namespace = focus.namespace.as_ref();
        namespace.is_none_or(|meant| *meant == pod.id.namespace)
    };
    let is_named =
        |pod: &Object| focus.names(&pod.id.name) || focus.names(&cluster.owner(pod).name);
    let mut readings = vec![Reading::Events, Reading::List("Pod")];
    let said = alert.to_string().to_ascii_lowercase();
    let namespace = focus.namespace.clone();
    let namespace = namespace.filter(|_| said.contains("terminating"));
    readings.extend(namespace.map(|name| Reading::Get("Namespace", name)));
    let mut failing: Vec<&Object> = cluster.failing().filter(is_meant).collect();
    failing.sort_by_key(|pod| !is_named(pod));
    let mut owners = BTreeSet::new();
    failing.retain(|pod| owners.insert(cluster.owner(pod)));
    for pod in failing.iter().take(PODS) {
        let previous = pod.restarts() > 0;
        let has_log = (!pod.node().is_empty() || previous) && pod.status() != "Pending";
        readings.push(get("Pod", pod));
        readings.extend(has_log.then(|| log(pod, previous)));
    }
    readings.push(Reading::List("Deployment"));
    let has_event = |reason: &str| cluster.current(reason).next().is_some();
    let mut workloads = cluster.workloads();
    let is_refused =
        has_event("FailedCreate") || workloads.any(|of| of.failures().next().is_some());
    readings.extend(is_refused.then_some(Reading::List("ResourceQuota")));
    let of_nodes = ["FailedScheduling", "NodeNotReady", "Evicted"];
    let is_unscheduled = failing.iter().any(|pod| pod.node().is_empty());
    let needs_nodes = is_unscheduled || of_nodes.into_iter().any(has_event);
    readings.extend(needs_nodes.then_some(Reading::List("Node")));
    let is_claim = |text: &str| text.contains("ersistentVolumeClaim");
    let mut events = cluster.events.iter();
    let needs_volumes = failing.iter().any(|pod| is_claim(pod.unscheduled()))
        || events.any(|event| {
            is_claim(&event.message)
                || event.message.contains("persistentvolumeclaim")
                || event.reason == "ProvisioningFailed"
        });
    if needs_volumes {
        let kinds = ["PersistentVolumeClaim", "PersistentVolume", "StorageClass"];
        readings.extend(kinds.map(Reading::List));
    }
    readings.extend(["Service", "Endpoints"].map(Reading::List));
    let deployments = || cluster.of_kind("Deployment");
    let incomplete = deployments().filter(|of| of.replicas().is_some() && !of.is_complete());
    let named = deployments().filter(|of| focus.names(&of.id.name));
    let shown = incomplete.chain(named).take(WORKLOADS);
    readings.extend(shown.map(|of| get("Deployment", of)));
    let services = cluster.of_kind("Service");
    let empty = services.filter(|service| cluster.has_endpoints(service) == Some(false));
    readings.extend(empty.take(SERVICES).map(|of| get("Service", of)));
    if failing.is_empty() {
        readings.push(Reading::List("Node"));
        let pods = cluster.pods().filter(is_meant);
        let pods = pods.filter(|pod| pod.text("/status/phase") != "Succeeded" && is_named(pod));
        readings.extend(pods.take(HEALTHY_PODS).map(|pod| log(pod, false)));
    }
    readings.push(Reading::List("NetworkPolicy"));
    let mut seen = BTreeSet::new();
    readings.retain(|reading| seen.insert(reading.clone()));
    (focus.namespace, readings)
}
