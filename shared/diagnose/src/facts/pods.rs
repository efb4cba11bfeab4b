//! Queries about pods.

use serde_json::Value;

use super::Container;
use crate::cluster::Object;
use crate::fields::Fields;

impl Object {
    /// Returns the status that `kubectl get` shows, or the phase.
    pub(crate) fn status(&self) -> &str {
        match self.text("/status/shown") {
            "" => self.text("/status/phase"),
            shown => shown,
        }
    }

    pub(crate) fn node(&self) -> &str {
        match self.text("/spec/nodeName") {
            "<none>" | "unscheduled" => "",
            node => node,
        }
    }

    pub(crate) fn is_deleting(&self) -> bool {
        !self.text("/metadata/deletionTimestamp").is_empty() || self.status() == "Terminating"
    }

    /// Whether the pod is ready, or ended successfully.
    pub(crate) fn is_healthy(&self) -> bool {
        if matches!(self.status(), "Completed" | "Succeeded") {
            return true;
        }
        if self.condition("Ready").is_some() {
            return self.is_true("Ready");
        }
        let statuses = self.list("/status/containerStatuses");
        if !statuses.is_empty() {
            return statuses.iter().all(|status| status["ready"] == true);
        }
        // Only the status that `kubectl get` shows is known, perhaps with counts of containers.
        let counts = self
            .number("/status/ready")
            .zip(self.number("/status/total"));
        self.status() == "Running" && counts.is_none_or(|(ready, total)| ready == total)
    }

    pub(crate) fn restarts(&self) -> i64 {
        let shown = self.number("/status/restarts");
        let of_containers = self.containers().into_iter().map(|of| of.restarts());
        of_containers.chain(shown).max().unwrap_or(0).max(0)
    }

    pub(crate) fn containers(&self) -> Vec<Container<'_>> {
        let of = |specs: &str, states: &str| -> Vec<Container<'_>> {
            let (specs, states) = (self.list(specs), self.list(states));
            let spec = |name: &Value| {
                let named = specs.iter().find(|spec| spec["name"] == *name);
                // A result that shows only a part of the pod does not name its container.
                let only = || specs.first().filter(|spec| spec["name"] == "");
                named.or_else(only).unwrap_or(&Value::Null)
            };
            let with_state = states.iter().map(|status| Container {
                spec: spec(&status["name"]),
                status,
            });
            match states.is_empty() {
                true => specs.iter().map(Container::of_spec).collect(),
                false => with_state.collect(),
            }
        };
        let mut all = of("/spec/containers", "/status/containerStatuses");
        all.extend(of("/spec/initContainers", "/status/initContainerStatuses"));
        all
    }

    /// Returns kind and name of a pod's controller; for a replica set, those of its deployment.
    pub(crate) fn owner(&self) -> Option<(&str, &str)> {
        let Some(owner) = self.list("/metadata/ownerReferences").first() else {
            return Some(("Deployment", deployment_of(&self.id.name)?));
        };
        let (kind, name) = (owner.text("/kind"), owner.text("/name"));
        Some(match name.rsplit_once('-') {
            Some((stem, hash)) if kind == "ReplicaSet" && is_hash(hash, 6..=10) => {
                ("Deployment", stem)
            }
            _ => (kind, name),
        })
    }

    /// Returns why the scheduler does not place the pod, from its condition `PodScheduled`; empty if it does.
    pub(crate) fn unscheduled(&self) -> &str {
        let scheduled = self.condition("PodScheduled");
        scheduled
            .filter(|scheduled| scheduled.text("/status") == "False")
            .map_or("", |scheduled| scheduled.text("/message"))
    }
}

/// Derives the deployment from a pod's name: `api` from `api-7d4b9c6f5-x2x7k`.
fn deployment_of(pod: &str) -> Option<&str> {
    let (stem, last) = pod.rsplit_once('-')?;
    let (stem, hash) = stem.rsplit_once('-')?;
    (is_hash(last, 5..=5) && is_hash(hash, 8..=10)).then_some(stem)
}

/// Whether a part of a name looks generated.
fn is_hash(part: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&part.len())
        && part
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && (part.len() == 5 || part.contains(|c: char| c.is_ascii_digit()))
}
