//! What changed in the systems that alerts come from, as webhooks of type `change` report it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::UnixMicros;

/// A change: a push, a deployment, a release, a sync. Its texts are masked and hold no hidden characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// A UUIDv7 of the time of receipt.
    pub change_id: Uuid,
    /// When it happened, by its sender; when it was received, if the sender gives no time.
    pub happened_at_us: UnixMicros,
    /// Webhook source that reported it.
    pub source: String,
    /// The sender's name of it, by which a delivery that is repeated is known.
    pub external_id: String,
    /// E.g. `push`, `deployment`, `release`, `sync`.
    pub kind: String,
    /// What changed, on one line.
    pub title: String,
    /// Service, application or repository that changed.
    pub service: Option<String>,
    /// Namespace that it changed in.
    pub namespace: Option<String>,
    /// Cluster that it changed in.
    pub cluster: Option<String>,
    /// Who changed it.
    pub author: Option<String>,
    /// Commit, tag or version that is there now.
    pub revision: Option<String>,
    /// Its page; http or https.
    pub link: Option<String>,
}

/// Where an alert fires, as far as its data says: what changes are compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertPlace {
    /// Its service, application or workload.
    pub service: Option<String>,
    /// Its namespace.
    pub namespace: Option<String>,
    /// Its cluster.
    pub cluster: Option<String>,
}

/// Fields that name a service, the first one that is there.
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
    /// The place in an alert's data, or in its labels.
    #[must_use]
    pub fn from_data(alert_data: &Value) -> Self {
        let groups = [
            alert_data.get("data"),
            alert_data.get("labels"),
            alert_data.get("commonLabels"),
        ];
        let said = |names: &[&str]| {
            names.iter().find_map(|name| {
                let groups = std::iter::once(alert_data).chain(groups.into_iter().flatten());
                let mut values = groups.filter_map(|group| group.get(*name)?.as_str());
                let found = values.find(|value| !value.trim().is_empty())?;
                Some(found.trim().to_owned())
            })
        };
        Self {
            service: said(&SERVICE),
            namespace: said(&["namespace"]),
            cluster: said(&["cluster"]),
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
