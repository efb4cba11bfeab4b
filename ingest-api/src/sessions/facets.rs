//! Counts of sessions by the values of a filter, cached for a second.

pub(crate) mod handlers;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use tarsy_model::SessionField;
use tarsy_store::history::Facet;
use utoipa::ToSchema;

/// Numbers of sessions by the values of each filter.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct FacetList {
    status: FacetValues,
    progress: FacetValues,
    outcome: FacetValues,
    verdict: FacetValues,
    label: FacetValues,
    severity: FacetValues,
    alert_type: FacetValues,
    chain_id: FacetValues,
    agent: FacetValues,
    source: FacetValues,
    environment: FacetValues,
    cluster: FacetValues,
    namespace: FacetValues,
    assignee: FacetValues,
    rating: FacetValues,
}

/// Values of one filter.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct FacetValues {
    /// Number of sessions that would match with each value. Values without a session are left out.
    #[schema(example = json!({"failed": 3}))]
    pub(crate) values: BTreeMap<String, i64>,
    /// Whether all matching sessions were counted. If not, only the newest 10,000 were counted, or the newest 1,000
    /// for values from the alerts. With a search text, only the newest 2,000 were counted, or those that were found
    /// in time.
    pub(crate) is_exact: bool,
}

/// Cache of facet counts for a second, so that all viewers of the same list share one count.
#[derive(Debug, Default)]
pub(crate) struct RecentFacets(Mutex<HashMap<String, (Instant, FacetList)>>);

impl RecentFacets {
    /// Lifetime of a cached result. Screens request one every three seconds.
    const FRESH: Duration = Duration::from_secs(1);

    /// Returns the cached result of the same request, if it is at most a second old.
    pub(crate) fn fresh(&self, request: &str) -> Option<FacetList> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, list) = kept.get(request)?;
        (at.elapsed() < Self::FRESH).then(|| list.clone())
    }

    /// Caches a result for a second.
    pub(crate) fn keep(&self, request: String, list: &FacetList) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (at, _)| at.elapsed() < Self::FRESH);
        kept.insert(request, (Instant::now(), list.clone()));
    }
}

impl FacetList {
    /// Returns the values of a facet.
    pub(crate) fn values_mut(&mut self, facet: Facet) -> &mut FacetValues {
        match facet {
            Facet::Status => &mut self.status,
            Facet::Progress => &mut self.progress,
            Facet::Outcome => &mut self.outcome,
            Facet::Verdict => &mut self.verdict,
            Facet::Label => &mut self.label,
            Facet::Severity => &mut self.severity,
            Facet::AlertType => &mut self.alert_type,
            Facet::Chain => &mut self.chain_id,
            Facet::Assignee => &mut self.assignee,
            Facet::Rating => &mut self.rating,
        }
    }

    /// Returns the values of a field of alerts, or `None` if sessions are not counted by it.
    pub(crate) fn trait_mut(&mut self, field: SessionField) -> Option<&mut FacetValues> {
        match field {
            SessionField::Agent => Some(&mut self.agent),
            SessionField::Source => Some(&mut self.source),
            SessionField::Environment => Some(&mut self.environment),
            SessionField::Cluster => Some(&mut self.cluster),
            SessionField::Namespace => Some(&mut self.namespace),
            _ => None,
        }
    }
}
