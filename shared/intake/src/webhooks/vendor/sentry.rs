//! Sentry, integration platform: issue alerts, metric alerts and issues. Its other hooks (installations,
//! comments, errors) are acknowledged and ignored.

use serde_json::Value;

use crate::Error;
use crate::webhooks::micros_of;
use crate::webhooks::vendor::{Notice, Phase};

pub(super) fn notices(payload: Value, delivery: Option<String>) -> Result<Vec<Notice>, Error> {
    let action = payload["action"].as_str().unwrap_or_default().to_owned();
    let Some(data) = payload.get("data").filter(|data| data.is_object()).cloned() else {
        return Err(Error::field("data", "is missing"));
    };
    let notice = Notice::about(data, Phase::Other);
    let (issue, metric) = (
        notice.label("event.issue_id").or(notice.label("issue.id")),
        notice.label("metric_alert.id"),
    );
    let time = [
        "event.datetime",
        "metric_alert.date_started",
        "issue.firstSeen",
    ]
    .iter()
    .find_map(|path| notice.label(path));
    let happened_us = time.as_deref().and_then(micros_of);
    let is_about_alert = ["event", "issue", "metric_alert"]
        .iter()
        .any(|member| notice.data[*member].is_object());
    let phase = match action.as_str() {
        _ if !is_about_alert => Phase::Other,
        "triggered" | "critical" | "warning" | "created" | "unresolved" => Phase::Firing,
        "resolved" => Phase::Resolved(None),
        _ => Phase::Other,
    };
    let subject = issue
        .map(|id| format!("issue:{id}"))
        .or(metric.map(|id| format!("metric:{id}")));
    if phase != Phase::Other && subject.is_none() {
        return Err(Error::field("data", "names no issue and no metric alert"));
    }
    let named = notice
        .name("title", "event.title")
        .name("title", "metric_alert.alert_rule.name");
    let named = named
        .name("severity", "event.level")
        .name("environment", "event.environment");
    let mut notice = Notice {
        subject,
        occurrence: delivery,
        phase,
        happened_us,
        ..named
    };
    if matches!(action.as_str(), "critical" | "warning") {
        notice.labels.insert("severity".to_owned(), action);
    }
    Ok(vec![notice])
}
