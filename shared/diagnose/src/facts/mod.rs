//! Queries that rules make about a cluster and its objects.

mod containers;
mod pods;
mod services;
mod workloads;

use std::borrow::Cow;

use serde_json::Value;

use crate::cluster::{Cluster, Event, Object};
use crate::fields::Fields;
use crate::finding::ObjectRef;
use crate::kind::is_workload;

pub(crate) use containers::{Container, is_port, port_text};

/// Reason of a complaint that comes from the status of an object, not from an event.
pub(crate) const CONDITION: &str = "Condition";

impl Cluster {
    pub(crate) fn pods(&self) -> impl Iterator<Item = &Object> {
        self.of_kind("Pod")
    }

    pub(crate) fn workloads(&self) -> impl Iterator<Item = &Object> {
        let objects = self.objects.values();
        objects.filter(|object| is_workload(&object.id.kind))
    }

    /// Returns pods that are not healthy, without those that are being deleted.
    pub(crate) fn failing(&self) -> impl Iterator<Item = &Object> {
        self.pods()
            .filter(|pod| !pod.is_healthy() && !pod.is_deleting())
    }

    pub(crate) fn pods_in(&self, namespace: &str) -> impl Iterator<Item = &Object> {
        self.pods().filter(move |pod| pod.id.namespace == namespace)
    }

    /// Returns events about objects that still fail, reasons why their containers wait, and workload conditions that
    /// report a failure.
    pub(crate) fn complaints(&self) -> impl Iterator<Item = Event> {
        let stated = |object: &Object, message: &str| Event {
            source: object.source,
            about: object.id.clone(),
            reason: CONDITION.to_owned(),
            message: message.to_owned(),
            count: 1,
        };
        let waiting = self.failing().flat_map(move |pod| {
            let waiting = pod.containers().into_iter().filter_map(|of| of.waiting());
            waiting.map(move |(_, message)| stated(pod, message))
        });
        let events = self.events.iter().filter(|event| !self.is_over(event));
        let conditions = self.workloads().flat_map(move |workload| {
            let failures = workload.failures();
            failures.map(move |condition| stated(workload, condition.text("/message")))
        });
        waiting.chain(events.cloned()).chain(conditions)
    }

    /// Returns events with this reason about objects that still fail.
    pub(crate) fn current(&self, reason: &str) -> impl Iterator<Item = &Event> {
        let events = self.events.iter();
        events.filter(move |event| event.reason == reason && !self.is_over(event))
    }

    /// Whether an event is outdated: its object works again, or is gone.
    pub(crate) fn is_over(&self, event: &Event) -> bool {
        let about = &event.about;
        match about.kind.as_str() {
            "Pod" => match self.pod(about) {
                Some(pod) => pod.is_healthy() || pod.is_deleting(),
                None => {
                    // The pod is not known. Compare with pods whose names differ only after the last dash.
                    let stem = about.name.rsplit_once('-');
                    let stem = stem.map_or(about.name.as_str(), |(stem, _)| stem);
                    let mut alike = self.pods().filter(|pod| pod.id.name.starts_with(stem));
                    self.is_listed("Pod", &about.namespace) && alike.all(Object::is_healthy)
                }
            },
            "Node" => {
                let node = self.objects.get(about);
                node.is_some_and(|node| node.is_true("Ready"))
            }
            // A job that could not create its pod, but has one by now.
            "Job" => self.pods().any(|pod| self.owner(pod) == *about),
            _ => self.workload_of(about).is_some_and(Object::is_complete),
        }
    }

    /// Finds a pod by name. Namespaces are compared only if both are known.
    pub(crate) fn pod(&self, about: &ObjectRef) -> Option<&Object> {
        let is_same = |own: &str, other: &str| own == other || own.is_empty() || other.is_empty();
        self.pods()
            .find(|pod| pod.id.name == about.name && is_same(&pod.id.namespace, &about.namespace))
    }

    /// Returns the pod of this name; a pod without any fields if it is not known.
    pub(crate) fn pod_or_name(&self, about: &ObjectRef) -> Cow<'_, Object> {
        let unknown = || Object::new(about.clone());
        self.pod(about)
            .map_or_else(|| Cow::Owned(unknown()), Cow::Borrowed)
    }

    /// Returns the containers of a pod, or those of its owner's template if the pod's specification is not known.
    pub(crate) fn containers<'c>(&'c self, pod: &'c Object) -> Vec<Container<'c>> {
        let own = pod.containers();
        let owner = self.workload_of(&self.owner(pod));
        match own.iter().any(|container| !container.spec.is_null()) {
            true => own,
            false => owner.map(Object::template_containers).unwrap_or_default(),
        }
    }

    /// Finds the workload that an object is, or the deployment that a replica set belongs to.
    pub(crate) fn workload_of(&self, about: &ObjectRef) -> Option<&Object> {
        let find = |kind: &str, name: &str| {
            self.workloads().find(|workload| {
                let id = &workload.id;
                id.kind == kind
                    && id.name == name
                    && (id.namespace == about.namespace || about.namespace.is_empty())
            })
        };
        let stem = about.name.rsplit_once('-');
        let maker = stem.filter(|_| about.kind == "ReplicaSet");
        let maker = maker.and_then(|(stem, _)| find("Deployment", stem));
        maker.or_else(|| find(&about.kind, &about.name))
    }

    /// Returns the object in which to fix a fault of a pod's template: its workload, or the pod itself.
    pub(crate) fn owner(&self, pod: &Object) -> ObjectRef {
        let id = &pod.id;
        if let Some((kind, name)) = pod.owner() {
            return ObjectRef::new(kind, &id.namespace, name);
        }
        let fits = |of: &&ObjectRef| {
            let rest = id.name.strip_prefix(of.name.as_str());
            of.namespace == id.namespace
                && rest.is_some_and(|rest| rest.starts_with('-') && rest.matches('-').count() <= 2)
                && of.kind != "ReplicaSet"
        };
        let own = self.workloads().map(|workload| &workload.id).filter(fits);
        own.max_by_key(|of| of.name.len()).unwrap_or(id).clone()
    }

    /// Returns the workload that owns the object of an event, or the object itself.
    pub(crate) fn owner_of(&self, about: &ObjectRef) -> ObjectRef {
        if about.kind == "Pod" {
            return self.owner(&self.pod_or_name(about));
        }
        let stem = about.name.rsplit_once('-').map(|(stem, _)| stem);
        match (self.workload_of(about), stem) {
            (Some(known), _) => known.id.clone(),
            (None, Some(stem)) if about.kind == "ReplicaSet" => {
                ObjectRef::new("Deployment", &about.namespace, stem)
            }
            _ => about.clone(),
        }
    }
}

impl Object {
    /// Returns the condition of this type.
    pub(crate) fn condition(&self, of: &str) -> Option<&Value> {
        let mut conditions = self.list("/status/conditions").iter();
        conditions.find(|condition| condition.text("/type") == of)
    }

    pub(crate) fn is_true(&self, of: &str) -> bool {
        let condition = self.condition(of);
        condition.is_some_and(|condition| condition.text("/status") == "True")
    }
}
