//! What rules ask about objects.

mod containers;
mod events;
mod pods;
mod services;
mod workloads;

use serde_json::Value;

use crate::cluster::{Cluster, Object};
use crate::finding::ObjectRef;

pub(crate) use containers::{Container, ContainerPort};
pub(crate) use events::Event;
pub(crate) use pods::Pod;
pub(crate) use services::Service;
pub(crate) use workloads::Workload;

/// A cluster as rules see it.
pub(crate) struct Facts<'c> {
    pub(crate) cluster: &'c Cluster,
    pub(crate) pods: Vec<Pod<'c>>,
    pub(crate) workloads: Vec<Workload<'c>>,
    pub(crate) services: Vec<Service<'c>>,
    pub(crate) events: Vec<Event<'c>>,
}

impl<'c> Facts<'c> {
    pub(crate) fn new(cluster: &'c Cluster) -> Self {
        let pods = cluster.of_kind("Pod");
        let workloads = cluster.objects.values();
        let workloads = workloads.filter(|object| crate::kind::is_workload(&object.id.kind));
        let services = cluster.of_kind("Service");
        let events = cluster.events.iter();
        Self {
            cluster,
            pods: pods.map(|object| Pod { object }).collect(),
            workloads: workloads.map(|object| Workload { object }).collect(),
            services: services.map(|object| Service { object }).collect(),
            events: events.map(|(at, value)| Event::new(*at, value)).collect(),
        }
    }

    /// Pods that don't do what they should, without those that are being deleted.
    pub(crate) fn failing(&self) -> impl Iterator<Item = &Pod<'c>> {
        let pods = self.pods.iter();
        pods.filter(|pod| !pod.is_healthy() && !pod.is_deleting())
    }

    pub(crate) fn pods_in<'f>(&'f self, namespace: &'f str) -> impl Iterator<Item = &'f Pod<'c>> {
        let pods = self.pods.iter();
        pods.filter(move |pod| pod.object.id.namespace == namespace)
    }

    /// Events about what still fails, and conditions of workloads that report a failure.
    pub(crate) fn complaints(&self) -> impl Iterator<Item = Complaint<'_>> {
        let events = self.events.iter();
        let events = events.filter(move |event| !self.is_over(event));
        let events = events.map(|event| Complaint {
            about: &event.about,
            reason: Some(event.reason),
            message: event.message,
            source: event.source,
        });
        let conditions = self.workloads.iter().flat_map(|workload| {
            workload.failures().map(move |condition| Complaint {
                about: &workload.object.id,
                reason: None,
                message: text(condition, "/message"),
                source: workload.object.source(),
            })
        });
        events.chain(conditions)
    }

    /// Events of a reason about something that still fails.
    pub(crate) fn current<'f>(&'f self, reason: &'f str) -> impl Iterator<Item = &'f Event<'c>> {
        let events = self.events.iter();
        events.filter(move |event| event.reason == reason && !self.is_over(event))
    }

    /// Whether what an event is about works by now, or is gone.
    pub(crate) fn is_over(&self, event: &Event<'_>) -> bool {
        let about = &event.about;
        match about.kind.as_str() {
            "Pod" => match self.pod(&about.namespace, &about.name) {
                Some(pod) => pod.is_healthy() || pod.is_deleting(),
                None => {
                    self.cluster.is_listed("Pod", &about.namespace)
                        && !self.pods_of_name(&about.name).any(|pod| !pod.is_healthy())
                }
            },
            "Node" => self
                .cluster
                .get("Node", "", &about.name)
                .is_some_and(|node| is_true(node, "Ready")),
            // A job that could not make its pod, and has one by now.
            "Job" => self.pods.iter().any(|pod| self.owner(pod) == *about),
            _ => self.workload_of(about).is_some_and(Workload::is_complete),
        }
    }

    pub(crate) fn pod(&self, namespace: &str, name: &str) -> Option<&Pod<'c>> {
        self.pods.iter().find(|pod| {
            pod.object.id.name == name
                && (namespace.is_empty()
                    || pod.object.id.namespace == namespace
                    || pod.object.id.namespace.is_empty())
        })
    }

    /// Pods whose name begins like this one but for its last word.
    fn pods_of_name<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f Pod<'c>> {
        let stem = name.rsplit_once('-').map_or(name, |(stem, _)| stem);
        self.pods
            .iter()
            .filter(move |pod| pod.object.id.name.starts_with(stem))
    }

    /// The workload that an object is or belongs to.
    pub(crate) fn workload_of(&self, about: &ObjectRef) -> Option<&Workload<'c>> {
        let find = |kind: &str, name: &str| {
            self.workloads.iter().find(|workload| {
                let id = &workload.object.id;
                id.kind == kind
                    && id.name == name
                    && (id.namespace == about.namespace || about.namespace.is_empty())
            })
        };
        let own = find(&about.kind, &about.name);
        match about.kind.as_str() {
            "ReplicaSet" => about
                .name
                .rsplit_once('-')
                .and_then(|(stem, _)| find("Deployment", stem))
                .or(own),
            _ => own,
        }
    }

    /// Where a fault of a pod's template is mended: its workload, or the pod itself.
    pub(crate) fn owner(&self, pod: &Pod<'_>) -> ObjectRef {
        let id = &pod.object.id;
        match pod.owner() {
            Some((kind, name)) => ObjectRef::new(&kind, &id.namespace, &name),
            None => {
                let own = self.workloads.iter().map(|workload| &workload.object.id);
                let fits = |of: &&ObjectRef| {
                    let rest = id.name.strip_prefix(of.name.as_str());
                    of.namespace == id.namespace
                        && rest.is_some_and(|rest| {
                            rest.starts_with('-') && rest.matches('-').count() <= 2
                        })
                        && of.kind != "ReplicaSet"
                };
                own.filter(fits)
                    .max_by_key(|of| of.name.len())
                    .unwrap_or(id)
                    .clone()
            }
        }
    }

    /// The owner of what an event is about.
    pub(crate) fn owner_of(&self, about: &ObjectRef) -> ObjectRef {
        let (known, by_name) = match about.kind.as_str() {
            "Pod" => {
                let pod = self.pod(&about.namespace, &about.name);
                let by_name = pods::deployment_of(&about.name);
                (pod.map(|pod| self.owner(pod)), by_name)
            }
            kind => {
                let workload = self.workload_of(about);
                let stem = about.name.rsplit_once('-').map(|(stem, _)| stem);
                let by_name = stem.filter(|_| kind == "ReplicaSet");
                (workload.map(|of| of.object.id.clone()), by_name)
            }
        };
        known.unwrap_or_else(|| match by_name {
            Some(name) => ObjectRef::new("Deployment", &about.namespace, name),
            None => about.clone(),
        })
    }
}

/// What Kubernetes reports about an object.
pub(crate) struct Complaint<'f> {
    pub(crate) about: &'f ObjectRef,
    /// Reason of the event; `None`: it is a condition of a workload.
    pub(crate) reason: Option<&'f str>,
    pub(crate) message: &'f str,
    pub(crate) source: usize,
}

/// A text at a JSON pointer; empty if there is none.
pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// A list at a JSON pointer; empty if there is none.
pub(crate) fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The pairs of an object at a JSON pointer.
pub(crate) fn labels<'v>(value: &'v Value, pointer: &str) -> Vec<(&'v str, &'v str)> {
    let map = value.pointer(pointer).and_then(Value::as_object);
    let pairs = map.into_iter().flatten();
    pairs
        .filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
        .collect()
}

/// A condition of an object.
pub(crate) fn condition<'o>(object: &'o Object, of: &str) -> Option<&'o Value> {
    list(&object.value, "/status/conditions")
        .iter()
        .find(|condition| text(condition, "/type") == of)
}

pub(crate) fn is_true(object: &Object, of: &str) -> bool {
    condition(object, of).is_some_and(|condition| text(condition, "/status") == "True")
}
