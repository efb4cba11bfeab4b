//! Payloads without a fixed format: `CloudEvents`, whose data is free, and any JSON object.

use serde_json::Value;

use super::draft::Draft;
use super::line::time;
use super::path::first;
use crate::webhooks::vendor::CloudEvent;

/// Returns the change of an event, from its data and its attributes.
pub(super) fn draft(event: &CloudEvent) -> Draft {
    let content = &event.content;
    let content_draft = read(&content["data"]);
    let attribute = |name: &str| first(content, &[name]);
    let kind = attribute("type");
    let title = content_draft.title.or_else(|| {
        let kind = kind.clone()?;
        Some(match attribute("subject") {
            Some(subject) => format!("{kind}: {subject}"),
            None => kind,
        })
    });
    Draft {
        id: Some(event.delivery.clone()),
        time: attribute("time")
            .filter(|text| time(text).is_some())
            .or(content_draft.time),
        kind: content_draft.kind.or(kind),
        title,
        service: content_draft.service.or_else(|| attribute("subject")),
        ..content_draft
    }
}

/// Returns the change of a plain object.
pub(super) fn plain(payload: &Value) -> Draft {
    Draft {
        id: first(payload, &["id"]),
        ..read(payload)
    }
}

fn read(object: &Value) -> Draft {
    let found = |paths: &[&str]| first(object, paths);
    Draft {
        id: None,
        time: found(&["time", "timestamp"]),
        kind: found(&["kind", "type"]),
        title: found(&["title", "summary", "message"]),
        service: found(&["service", "app"]),
        namespace: found(&["namespace"]),
        cluster: found(&["cluster"]),
        author: found(&["author", "user"]),
        revision: found(&["revision", "version", "commit"]),
        link: found(&["link"]),
    }
}
