//! Flux: events of the notification controller (provider `generic` or `generic-hmac`).

use serde_json::Value;

use super::draft::Draft;
use super::path::at;
use crate::Error;

/// Reasons that each reconciliation repeats. They count as one change per revision.
const REPEATED: [&str; 4] = [
    "ReconciliationSucceeded",
    "ReconciliationFailed",
    "HealthCheckFailed",
    "DependencyNotReady",
];

/// Returns the change of an event.
pub(super) fn draft(event: &Value) -> Result<Draft, Error> {
    let object = &event["involvedObject"];
    let (Some(kind), Some(name)) = (at(object, "kind"), at(object, "name")) else {
        let detail = "names no object; this is no event of Flux";
        return Err(Error::field("involvedObject", detail));
    };
    let namespace = at(object, "namespace");
    let reason = at(event, "reason").unwrap_or_default();
    let timestamp = at(event, "timestamp");
    let revision = revision(&event["metadata"]);
    let uid = at(object, "uid").unwrap_or_else(|| {
        let namespace = namespace.as_deref().unwrap_or_default();
        format!("{kind}/{namespace}/{name}")
    });
    let occurrence = match &revision {
        Some(revision) if REPEATED.contains(&reason.as_str()) => revision,
        _ => timestamp.as_deref().unwrap_or_default(),
    };
    let message = at(event, "message").unwrap_or_else(|| reason.clone());
    Ok(Draft {
        id: Some(format!("event:{uid}:{reason}:{occurrence}")),
        time: timestamp,
        kind: Some(match event["severity"].as_str() {
            Some("error") => "failed reconciliation".to_owned(),
            _ => "reconciliation".to_owned(),
        }),
        title: Some(format!("{kind} {name}: {message}")),
        service: Some(name),
        namespace,
        author: at(event, "reportingController"),
        revision,
        ..Draft::default()
    })
}

/// Returns the revision. Its key may be prefixed by the API group of its object.
fn revision(metadata: &Value) -> Option<String> {
    let members = metadata.as_object()?;
    let is_revision = |key: &str| key == "revision" || key.ends_with("/revision");
    let (_, found) = members.iter().find(|(key, _)| is_revision(key))?;
    found
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}
