//! What should be read next.

use serde_json::Value;

use crate::cluster::{Cluster, Object};
use crate::fields::Fields;
use crate::rank::Focus;

/// Pods that are read one by one.
const PODS: usize = 3;
/// Workloads that are read one by one.
const WORKLOADS: usize = 2;
/// Services without endpoints that are read one by one.
const SERVICES: usize = 2;
/// Pods whose logs are read where none fails.
const HEALTHY_PODS: usize = 2;

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
    let mut readings = vec![Reading::Events, Reading::List("Pod")];
    let mut add = |reading: Reading| {
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    };
    let said = alert.to_string().to_ascii_lowercase();
    if said.contains("terminating")
        && let Some(namespace) = &focus.namespace
    {
        add(Reading::Get("Namespace", namespace.clone()));
    }
    let is_meant = |pod: &&Object| {
        let namespace = focus.namespace.as_ref();
        namespace.is_none_or(|meant| *meant == pod.id.namespace)
    };
    let is_named =
        |pod: &Object| focus.names(&pod.id.name) || focus.names(&cluster.owner(pod).name);
    let mut failing: Vec<&Object> = cluster.failing().filter(is_meant).collect();
    failing.sort_by_key(|pod| !is_named(pod));
    let mut owners = Vec::new();
    failing.retain(|pod| {
        let owner = cluster.owner(pod);
        let is_new = !owners.contains(&owner);
        owners.push(owner);
        is_new
    });
    for pod in failing.iter().take(PODS) {
        let (name, previous) = (&pod.id.name, pod.restarts() > 0);
        add(Reading::Get("Pod", name.clone()));
        if (!pod.node().is_empty() || previous) && pod.status() != "Pending" {
            let pod = name.clone();
            add(Reading::Log { pod, previous });
        }
    }
    add(Reading::List("Deployment"));
    let has_event = |reason: &str| cluster.current(reason).next().is_some();
    let mut workloads = cluster.workloads();
    if has_event("FailedCreate") || workloads.any(|of| of.failures().next().is_some()) {
        add(Reading::List("ResourceQuota"));
    }
    if failing.iter().any(|pod| pod.node().is_empty())
        || ["FailedScheduling", "NodeNotReady", "Evicted"]
            .into_iter()
            .any(has_event)
    {
        add(Reading::List("Node"));
    }
    let is_claim = |text: &str| text.contains("ersistentVolumeClaim");
    if cluster.events.iter().any(|event| {
        is_claim(&event.message)
            || event.message.contains("persistentvolumeclaim")
            || event.reason == "ProvisioningFailed"
    }) || failing.iter().any(|pod| is_claim(pod.unscheduled()))
    {
        for kind in ["PersistentVolumeClaim", "PersistentVolume", "StorageClass"] {
            add(Reading::List(kind));
        }
    }
    add(Reading::List("Service"));
    add(Reading::List("Endpoints"));
    let deployments = || cluster.of_kind("Deployment");
    let incomplete = deployments().filter(|of| of.replicas().is_some() && !of.is_complete());
    let named = deployments().filter(|of| focus.names(&of.id.name));
    for workload in incomplete.chain(named).take(WORKLOADS) {
        add(Reading::Get("Deployment", workload.id.name.clone()));
    }
    let services = cluster.of_kind("Service");
    let empty = services.filter(|service| cluster.has_endpoints(service) == Some(false));
    for service in empty.take(SERVICES) {
        add(Reading::Get("Service", service.id.name.clone()));
    }
    if failing.is_empty() {
        add(Reading::List("Node"));
        let pods = cluster.pods().filter(is_meant);
        let pods = pods.filter(|pod| pod.text("/status/phase") != "Succeeded");
        for pod in pods.filter(|pod| is_named(pod)).take(HEALTHY_PODS) {
            let pod = pod.id.name.clone();
            let previous = false;
            add(Reading::Log { pod, previous });
        }
    }
    add(Reading::List("NetworkPolicy"));
    (focus.namespace, readings)
}
