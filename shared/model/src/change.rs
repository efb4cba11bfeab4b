//! Changes in the systems that alerts come from, reported by webhooks of type `change`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::UnixMicros;

/// A change: a push, a deployment, a release, a sync. Its texts are masked and contain no hidden characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// A UUIDv7 made from the time of receipt.
    pub change_id: Uuid,
    /// Time of the change according to its sender, or the time of receipt if the sender gives none.
    pub happened_at_us: UnixMicros,
    /// Webhook source that reported it.
    pub source: String,
    /// The sender's identifier of the change. It identifies repeated deliveries.
    pub external_id: String,
    /// E.g. `push`, `deployment`, `release`, `sync`.
    pub kind: String,
    /// Summary of the change, on one line.
    pub title: String,
    /// Service, application or repository that changed.
    pub service: Option<String>,
    /// Namespace in which it changed.
    pub namespace: Option<String>,
    /// Cluster in which it changed.
    pub cluster: Option<String>,
    /// Who changed it.
    pub author: Option<String>,
    /// Commit, tag or version after the change.
    pub revision: Option<String>,
    /// URL of its page; http or https.
    pub link: Option<String>,
}

/// Where an alert fires, as far as its data shows. Changes are matched against it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertPlace {
    /// Its service, application or workload.
    pub service: Option<String>,
    /// Its namespace.
    pub namespace: Option<String>,
    /// Its cluster.
    pub cluster: Option<String>,
}

/// Fields that can name a service. The first one that has a value is used.
const SERVICE: [&str; 7] = [
    "service",
    "app",
    "app.kubernetes.io/name",
    "application",
    "deployment",
    "statefulset",
    "daemonset",
];

impl AlertPlace {
    /// Finds the place in an alert's data or, failing that, in its labels.
    #[must_use]
    pub fn from_data(alert_data: &Value) -> Self {
        let groups = [
            alert_data.get("data"),
            alert_data.get("labels"),
            alert_data.get("commonLabels"),
        ];
        let label = |names: &[&str]| {
            names.iter().find_map(|name| {
                let groups = std::iter::once(alert_data).chain(groups.into_iter().flatten());
                let mut values = groups.filter_map(|group| group.get(*name)?.as_str());
                let found = values.find(|value| !value.trim().is_empty())?;
                Some(found.trim().to_owned())
            })
        };
        Self {
            service: label(&SERVICE),
            namespace: label(&["namespace"]),
            cluster: label(&["cluster"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_place_is_read_from_data_before_labels() {
        let place = AlertPlace::from_data(&json!({
            "namespace": "shop", "labels": {"namespace": "other", "app": "cart", "cluster": " "}, "commonLabels": {"cluster": "eu-1"},
        }));
        let expected = AlertPlace {
            service: Some("cart".to_owned()),
            namespace: Some("shop".to_owned()),
            cluster: Some("eu-1".to_owned()),
        };
        assert_eq!(place, expected);
        for nothing in [
            json!(null),
            json!([1]),
            json!({"service": 7, "labels": "x"}),
        ] {
            assert_eq!(AlertPlace::from_data(&nothing), AlertPlace::default());
        }
    }
}
