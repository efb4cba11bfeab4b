//! Argo CD: notifications whose template sends the application, as docs/CHANGES-FEED.md shows.

use serde_json::Value;

use super::draft::Draft;
use super::path::{at, first};
use crate::Error;

/// Returns the sync that a notification reports, if one has ended.
pub(super) fn draft(payload: &Value) -> Result<Option<Draft>, Error> {
    let app = match &payload["app"] {
        Value::Object(_) => &payload["app"],
        _ => payload,
    };
    let Some(name) = at(app, "metadata.name") else {
        let detail = "is missing; send the application as docs/CHANGES-FEED.md shows";
        return Err(Error::field("app.metadata.name", detail));
    };
    Ok(sync(payload, app, &name))
}

fn sync(payload: &Value, app: &Value, name: &str) -> Option<Draft> {
    let operation = &app["status"]["operationState"];
    let (phase, started) = (
        at(operation, "phase")?,
        at(operation, "startedAt").unwrap_or_default(),
    );
    let revisions = [
        "syncResult.revision",
        "syncResult.revisions.0",
        "operation.sync.revision",
    ];
    let revision = first(operation, &revisions).or_else(|| at(app, "status.sync.revision"));
    let title = match (phase.as_str(), &revision) {
        ("Succeeded", Some(revision)) => format!("Synced {name} to {}", short(revision)),
        ("Succeeded", None) => format!("Synced {name}"),
        ("Failed" | "Error", _) => {
            let message = at(operation, "message").unwrap_or_else(|| "no reason given".to_owned());
            format!("Sync of {name} failed: {message}")
        }
        _ => return None,
    };
    let own_namespace = at(app, "metadata.namespace").unwrap_or_else(|| "argocd".to_owned());
    let uid = at(app, "metadata.uid").unwrap_or_else(|| format!("{own_namespace}/{name}"));
    let link = at(payload, "context.argocdUrl").map(|url| {
        let url = url.trim_end_matches('/');
        format!("{url}/applications/{own_namespace}/{name}")
    });
    Some(Draft {
        id: Some(format!("sync:{uid}:{started}:{phase}")),
        time: at(operation, "finishedAt"),
        kind: Some("sync".to_owned()),
        title: Some(title),
        service: Some(name.to_owned()),
        namespace: at(app, "spec.destination.namespace"),
        cluster: at(app, "spec.destination.name"),
        author: at(operation, "operation.initiatedBy.username"),
        revision,
        link,
    })
}

/// Abbreviates the hash of a commit. Other revisions stay whole.
fn short(revision: &str) -> &str {
    let is_commit = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { &revision[..7] } else { revision }
}
