//! Queries about services and their targets.

use crate::cluster::{Cluster, Object};
use crate::fields::Fields;

impl Object {
    /// Whether the selector of a service matches these labels.
    pub(crate) fn selects(&self, has: &[(&str, &str)]) -> bool {
        let selector = self.labels("/spec/selector");
        !selector.is_empty() && selector.iter().all(|pair| has.contains(pair))
    }
}

impl Cluster {
    /// Returns the pods that a service selects.
    pub(crate) fn selected(&self, service: &Object) -> impl Iterator<Item = &Object> {
        let here = self.pods_in(&service.id.namespace);
        here.filter(move |pod| service.selects(&pod.labels("/metadata/labels")))
    }

    /// Returns the workloads whose pods a service selects.
    pub(crate) fn makers(&self, service: &Object) -> impl Iterator<Item = &Object> {
        self.workloads().filter(move |workload| {
            workload.id.namespace == service.id.namespace && service.selects(&workload.pod_labels())
        })
    }

    /// Whether a service has endpoints; `None` if they are not known.
    pub(crate) fn has_endpoints(&self, service: &Object) -> Option<bool> {
        let endpoints = self.get("Endpoints", &service.id.namespace, &service.id.name)?;
        let mut subsets = endpoints.list("/subsets").iter();
        Some(match endpoints.text("/shown") {
            "" => subsets.any(|subset| !subset.list("/addresses").is_empty()),
            shown => shown != "<none>",
        })
    }
}
