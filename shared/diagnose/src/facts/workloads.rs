//! Queries about workloads: deployments, jobs and other owners of pods.

use serde_json::Value;

use super::Container;
use crate::cluster::Object;
use crate::fields::Fields;

impl Object {
    /// Returns desired and ready replicas; `None` if the desired count is not known.
    ///
    /// The API omits a ready count of zero, so a missing count is zero.
    pub(crate) fn replicas(&self) -> Option<(i64, i64)> {
        let either = |one, other| self.number(one).or_else(|| self.number(other));
        let wanted = either("/spec/replicas", "/status/desiredNumberScheduled")?;
        let ready = either("/status/readyReplicas", "/status/numberReady");
        Some((wanted, ready.unwrap_or(0)))
    }

    pub(crate) fn is_complete(&self) -> bool {
        let counts = self.replicas();
        counts.is_some_and(|(wanted, ready)| ready >= wanted)
            && !self
                .failures()
                .any(|condition| condition.text("/type") == "Progressing")
    }

    /// Returns the conditions of a workload that report a failure.
    pub(crate) fn failures(&self) -> impl Iterator<Item = &Value> {
        let conditions = self.list("/status/conditions").iter();
        conditions.filter(|condition| {
            matches!(
                (condition.text("/type"), condition.text("/status")),
                ("Available" | "Progressing", "False") | ("ReplicaFailure" | "Failed", "True")
            )
        })
    }

    pub(crate) fn is_failed_job(&self) -> bool {
        let count = |pointer| self.number(pointer).unwrap_or(0);
        self.id.kind == "Job"
            && (self.is_true("Failed")
                || count("/status/failed") > 0 && count("/status/succeeded") == 0)
    }

    /// Returns the labels of the pods that a workload creates.
    pub(crate) fn pod_labels(&self) -> Vec<(&str, &str)> {
        let of_template = self.labels("/spec/template/metadata/labels");
        match of_template.is_empty() {
            true => self.labels("/spec/selector/matchLabels"),
            false => of_template,
        }
    }

    /// Returns the containers of a workload's pod template.
    pub(crate) fn template_containers(&self) -> Vec<Container<'_>> {
        let specs = self.list("/spec/template/spec/containers").iter();
        specs.map(Container::of_spec).collect()
    }
}
