//! What owns pods.

use serde_json::Value;

use super::{Container, is_true, labels, list, text};
use crate::cluster::Object;

/// A deployment, job or another owner of pods.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload<'c> {
    pub(crate) object: &'c Object,
}

impl<'c> Workload<'c> {
    fn number(&self, pointer: &str) -> Option<i64> {
        self.object.value.pointer(pointer)?.as_i64()
    }

    /// Replicas that are wanted and ready, if it says both; the API leaves out a count of zero.
    pub(crate) fn replicas(&self) -> Option<(i64, i64)> {
        let wanted = self
            .number("/spec/replicas")
            .or_else(|| self.number("/status/desiredNumberScheduled"))?;
        let ready = self
            .number("/status/readyReplicas")
            .or_else(|| self.number("/status/numberReady"));
        Some((wanted, ready.unwrap_or(0)))
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.replicas()
            .is_some_and(|(wanted, ready)| ready >= wanted)
            && !self
                .failures()
                .any(|condition| text(condition, "/type") == "Progressing")
    }

    /// Conditions that report a failure.
    pub(crate) fn failures(&self) -> impl Iterator<Item = &'c Value> + use<'c> {
        let conditions = list(&self.object.value, "/status/conditions").iter();
        conditions.filter(|condition| {
            matches!(
                (text(condition, "/type"), text(condition, "/status")),
                ("Available" | "Progressing", "False") | ("ReplicaFailure" | "Failed", "True")
            )
        })
    }

    pub(crate) fn is_failed_job(&self) -> bool {
        self.object.id.kind == "Job"
            && (is_true(self.object, "Failed")
                || self
                    .number("/status/failed")
                    .is_some_and(|failed| failed > 0)
                    && self.number("/status/succeeded").unwrap_or(0) == 0)
    }

    /// Labels of the pods that it makes.
    pub(crate) fn pod_labels(&self) -> Vec<(&'c str, &'c str)> {
        let of_template = labels(&self.object.value, "/spec/template/metadata/labels");
        match of_template.is_empty() {
            true => labels(&self.object.value, "/spec/selector/matchLabels"),
            false => of_template,
        }
    }

    pub(crate) fn containers(&self) -> Vec<Container<'c>> {
        let specs = list(&self.object.value, "/spec/template/spec/containers").iter();
        specs.map(Container::of_spec).collect()
    }
}
