//! Pods.

use serde_json::Value;

use super::{Container, condition, labels, list, text};
use crate::cluster::Object;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pod<'c> {
    pub(crate) object: &'c Object,
}

impl<'c> Pod<'c> {
    fn value(&self) -> &'c Value {
        &self.object.value
    }

    fn number(&self, pointer: &str) -> Option<i64> {
        self.value().pointer(pointer)?.as_i64()
    }

    /// The word that `kubectl get` shows, or the phase.
    pub(crate) fn status(&self) -> &'c str {
        match text(self.value(), "/status/shown") {
            "" => text(self.value(), "/status/phase"),
            shown => shown,
        }
    }

    pub(crate) fn node(&self) -> &'c str {
        match text(self.value(), "/spec/nodeName") {
            "<none>" | "unscheduled" => "",
            node => node,
        }
    }

    pub(crate) fn is_deleting(&self) -> bool {
        !text(self.value(), "/metadata/deletionTimestamp").is_empty()
            || self.status() == "Terminating"
    }

    /// Whether it does what it should: ready, or ended well.
    pub(crate) fn is_healthy(&self) -> bool {
        if matches!(self.status(), "Completed" | "Succeeded") {
            return true;
        }
        if let Some(ready) = condition(self.object, "Ready") {
            return text(ready, "/status") == "True";
        }
        let statuses = list(self.value(), "/status/containerStatuses");
        if !statuses.is_empty() {
            return statuses.iter().all(|status| status["ready"] == true);
        }
        match (self.number("/status/ready"), self.number("/status/total")) {
            (Some(ready), Some(total)) => ready == total && self.status() == "Running",
            // Where only the status is known, it decides.
            _ => self.status() == "Running",
        }
    }

    pub(crate) fn restarts(&self) -> i64 {
        let shown = self.number("/status/restarts").unwrap_or(0);
        let most = self.containers().iter().map(Container::restarts).max();
        shown.max(most.unwrap_or(0))
    }

    pub(crate) fn containers(&self) -> Vec<Container<'c>> {
        let of = |specs: &str, states: &str| -> Vec<Container<'c>> {
            let (specs, states) = (list(self.value(), specs), list(self.value(), states));
            let named = |status: &'c Value| {
                let spec = specs.iter().find(|spec| spec["name"] == status["name"]);
                let spec = spec.or_else(|| specs.first().filter(|spec| spec["name"] == ""));
                spec.unwrap_or(&Value::Null)
            };
            let with_spec = |status| Container {
                spec: named(status),
                status,
            };
            match states.is_empty() {
                true => specs.iter().map(Container::of_spec).collect(),
                false => states.iter().map(with_spec).collect(),
            }
        };
        let mut all = of("/spec/containers", "/status/containerStatuses");
        all.extend(of("/spec/initContainers", "/status/initContainerStatuses"));
        all
    }

    /// Kind and name of its controller; of a replica set the deployment.
    pub(crate) fn owner(&self) -> Option<(String, String)> {
        let name = self.object.id.name.as_str();
        if let Some(owner) = list(self.value(), "/metadata/ownerReferences").first() {
            let (kind, owner) = (text(owner, "/kind"), text(owner, "/name"));
            return Some(match owner.rsplit_once('-') {
                Some((stem, hash)) if kind == "ReplicaSet" && is_hash(hash, 6..=10) => {
                    ("Deployment".to_owned(), stem.to_owned())
                }
                _ => (kind.to_owned(), owner.to_owned()),
            });
        }
        deployment_of(name).map(|deployment| ("Deployment".to_owned(), deployment.to_owned()))
    }

    pub(crate) fn labels(&self) -> Vec<(&'c str, &'c str)> {
        labels(self.value(), "/metadata/labels")
    }

    /// Why the scheduler leaves it alone, by its condition.
    pub(crate) fn unscheduled(&self) -> &'c str {
        let scheduled = condition(self.object, "PodScheduled");
        scheduled
            .filter(|scheduled| text(scheduled, "/status") == "False")
            .map_or("", |scheduled| text(scheduled, "/message"))
    }

    pub(crate) fn node_selector(&self) -> Vec<(&'c str, &'c str)> {
        labels(self.value(), "/spec/nodeSelector")
    }
}

/// The deployment that a pod's name shows: `api` of `api-7d4b9c6f5-x2x7k`.
pub(super) fn deployment_of(pod: &str) -> Option<&str> {
    let (stem, last) = pod.rsplit_once('-')?;
    let (stem, hash) = stem.rsplit_once('-')?;
    (is_hash(last, 5..=5) && is_hash(hash, 8..=10)).then_some(stem)
}

/// Whether a part of a name was generated.
fn is_hash(part: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&part.len())
        && part
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        && (part.len() == 5 || part.chars().any(|c| c.is_ascii_digit()))
}
