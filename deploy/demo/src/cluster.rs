//! The recorded cluster, and queries on it.

use std::fmt::Write as _;

use serde::Deserialize;

const RESOURCES: &str = include_str!("../cluster/resources.yaml");
const EVENTS: &str = include_str!("../cluster/events.yaml");
const LOGS: &str = include_str!("../cluster/logs.yaml");

/// A cluster at one moment.
pub(crate) struct Cluster {
    resources: Vec<Resource>,
    events: Vec<NamespaceEvents>,
    logs: Vec<PodLog>,
}

/// One object: its lookup keys, and its recorded manifest.
struct Resource {
    manifest: String,
    head: Head,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    api_version: String,
    kind: String,
    metadata: Metadata,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    name: String,
    namespace: Option<String>,
    creation_timestamp: String,
    deletion_timestamp: Option<String>,
    #[serde(default)]
    finalizers: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Status {
    phase: Option<String>,
}

#[derive(Deserialize)]
struct NamespaceEvents {
    namespace: String,
    events: Vec<Event>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    last_timestamp: String,
    r#type: String,
    reason: String,
    object: String,
    count: u32,
    message: String,
}

#[derive(Deserialize)]
struct PodLog {
    namespace: String,
    pod: String,
    log: String,
}

impl Cluster {
    /// Returns the cluster that is compiled in.
    pub(crate) fn recorded() -> anyhow::Result<Self> {
        let resources = RESOURCES
            .split("\n---\n")
            .map(|manifest| {
                let head = serde_saphyr::from_str(manifest)?;
                // The comment at the top of the file is not a part of the first manifest.
                let lines = manifest.lines().filter(|line| !line.starts_with('#'));
                Ok(Resource {
                    manifest: lines.collect::<Vec<_>>().join("\n"),
                    head,
                })
            })
            .collect::<anyhow::Result<_>>()?;
        let events = serde_saphyr::from_str(EVENTS)?;
        let logs = serde_saphyr::from_str(LOGS)?;
        Ok(Self {
            resources,
            events,
            logs,
        })
    }

    /// Returns the manifest of one object.
    pub(crate) fn get(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
        name: &str,
    ) -> Result<String, String> {
        self.select(api_version, kind, namespace)
            .find(|resource| resource.head.metadata.name == name)
            .map(|resource| resource.manifest.clone())
            .ok_or_else(|| format!("{kind} \"{name}\" not found"))
    }

    /// Returns a table of the objects of one kind.
    pub(crate) fn list(&self, api_version: &str, kind: &str, namespace: Option<&str>) -> String {
        let mut table = String::new();
        for resource in self.select(api_version, kind, namespace) {
            let Head {
                metadata, status, ..
            } = &resource.head;
            let state = match &metadata.deletion_timestamp {
                Some(_) => "Terminating",
                None => status.phase.as_deref().unwrap_or("-"),
            };
            let finalizers = if metadata.finalizers.is_empty() {
                "-".to_owned()
            } else {
                metadata.finalizers.join(",")
            };
            let namespace = metadata.namespace.as_deref().unwrap_or("-");
            let (name, created) = (&metadata.name, &metadata.creation_timestamp);
            let _ = writeln!(
                table,
                "{namespace}  {name}  {state}  {created}  {finalizers}"
            );
        }
        if table.is_empty() {
            return format!(
                "No resources of {api_version} {kind} found{}.",
                within(namespace)
            );
        }
        format!("NAMESPACE  NAME  STATUS  CREATED  FINALIZERS\n{table}")
    }

    /// Returns the events of a namespace, or of all namespaces, oldest first.
    pub(crate) fn events(&self, namespace: Option<&str>) -> String {
        let mut lines = String::new();
        for group in self
            .events
            .iter()
            .filter(|group| namespace.is_none_or(|n| n == group.namespace))
        {
            for Event {
                last_timestamp,
                r#type,
                reason,
                object,
                count,
                message,
            } in &group.events
            {
                let space = &group.namespace;
                let _ = writeln!(
                    lines,
                    "{last_timestamp}  {space}  {type}  {reason}  {object}  x{count}  {message}"
                );
            }
        }
        if lines.is_empty() {
            format!("No events found{}.", within(namespace))
        } else {
            lines
        }
    }

    /// Returns the last `tail` lines of a pod's log.
    pub(crate) fn log(&self, namespace: &str, pod: &str, tail: usize) -> Result<String, String> {
        let found = self
            .logs
            .iter()
            .find(|log| log.namespace == namespace && log.pod == pod);
        let log =
            found.ok_or_else(|| format!("pods \"{pod}\" not found{}", within(Some(namespace))))?;
        let lines: Vec<&str> = log.log.lines().collect();
        Ok(lines[lines.len().saturating_sub(tail)..].join("\n"))
    }

    fn select<'c>(
        &'c self,
        api_version: &'c str,
        kind: &'c str,
        namespace: Option<&'c str>,
    ) -> impl Iterator<Item = &'c Resource> {
        self.resources.iter().filter(move |Resource { head, .. }| {
            head.api_version == api_version
                && head.kind == kind
                && namespace.is_none_or(|n| head.metadata.namespace.as_deref() == Some(n))
        })
    }
}

fn within(namespace: Option<&str>) -> String {
    namespace.map_or_else(String::new, |namespace| {
        format!(" in namespace {namespace}")
    })
}

#[cfg(test)]
mod tests {
    use super::Cluster;

    #[test]
    fn the_recording_answers_what_the_story_needs() {
        let cluster = Cluster::recorded().unwrap();
        let namespace = cluster
            .get("v1", "Namespace", None, "team-payments-staging")
            .unwrap();
        assert!(namespace.contains("paymentledgers.payments.example.com has 1 resource instances"));
        let ledgers = cluster.list(
            "payments.example.com/v1",
            "PaymentLedger",
            Some("team-payments-staging"),
        );
        assert!(ledgers.contains("ledger-main  Terminating") && ledgers.contains("archive-ledger"));
        let operators = cluster.list("apps/v1", "Deployment", Some("payments-system"));
        assert!(operators.starts_with("No resources"));
        assert!(
            cluster
                .events(Some("team-payments-staging"))
                .contains("failed calling webhook")
        );
        assert!(
            cluster
                .log("payments-system", "payments-operator-pre-delete-x7k2p", 1)
                .unwrap()
                .contains("left in place")
        );
        assert!(cluster.get("v1", "Namespace", None, "nope").is_err());
    }
}
