//! Services and where they send.

use super::containers::port_text;
use super::{Facts, Pod, Workload, labels, list, text};
use crate::cluster::Object;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Service<'c> {
    pub(crate) object: &'c Object,
}

/// A port of a service.
#[derive(Clone, Debug)]
pub(crate) struct Port<'c> {
    pub(crate) number: i64,
    pub(crate) protocol: &'c str,
    /// A number, a name, or `None` if it is the port's own number.
    pub(crate) target: Option<String>,
}

impl<'c> Service<'c> {
    pub(crate) fn selector(&self) -> Vec<(&'c str, &'c str)> {
        labels(&self.object.value, "/spec/selector")
    }

    pub(crate) fn ports(&self) -> Vec<Port<'c>> {
        let ports = list(&self.object.value, "/spec/ports").iter();
        ports
            .filter_map(|port| {
                Some(Port {
                    number: port.get("port")?.as_i64()?,
                    protocol: match text(port, "/protocol") {
                        "" => "TCP",
                        protocol => protocol,
                    },
                    target: port
                        .get("targetPort")
                        .filter(|target| !target.is_null())
                        .map(port_text),
                })
            })
            .collect()
    }

    pub(crate) fn selects(&self, has: &[(&str, &str)]) -> bool {
        let selector = self.selector();
        !selector.is_empty() && selector.iter().all(|pair| has.contains(pair))
    }

    /// Pods that it selects.
    pub(crate) fn pods<'f>(&'f self, facts: &'f Facts<'c>) -> impl Iterator<Item = &'f Pod<'c>> {
        let here = facts.pods_in(&self.object.id.namespace);
        here.filter(move |pod| self.selects(&pod.labels()))
    }

    /// Workloads that make pods that it selects.
    pub(crate) fn makers<'f>(
        &'f self,
        facts: &'f Facts<'c>,
    ) -> impl Iterator<Item = &'f Workload<'c>> {
        facts.workloads.iter().filter(move |workload| {
            workload.object.id.namespace == self.object.id.namespace
                && self.selects(&workload.pod_labels())
        })
    }

    /// Whether it has endpoints, if they are known.
    pub(crate) fn has_endpoints(&self, facts: &Facts<'_>) -> Option<bool> {
        let id = &self.object.id;
        let endpoints = facts.cluster.get("Endpoints", &id.namespace, &id.name)?;
        let shown = text(&endpoints.value, "/shown");
        if !shown.is_empty() {
            return Some(shown != "<none>");
        }
        let mut subsets = list(&endpoints.value, "/subsets").iter();
        Some(subsets.any(|subset| !list(subset, "/addresses").is_empty()))
    }
}
