//! Datadog. A user defines the body by a template; these are the names that common templates use.
//! Values are strings.

use serde_json::Value;

use crate::webhooks::vendor::{Notice, Phase};

pub(super) fn notices(payload: Value) -> Vec<Notice> {
    let notice = Notice::about(payload, Phase::Firing);
    let transition = ["alert_transition", "transition", "status"]
        .iter()
        .find_map(|path| notice.label(path));
    let happened_us = ["date", "last_updated"]
        .iter()
        .find_map(|path| notice.label(path)?.parse::<i64>().ok()?.checked_mul(1_000));
    let phase = match transition
        .as_deref()
        .unwrap_or_default()
        .to_ascii_lowercase()
        .as_str()
    {
        "recovered" | "ok" => Phase::Resolved(happened_us),
        "renotify" | "triggered" | "re-triggered" | "no data" | "re-no data" | "warn"
        | "re-warn" | "alert" | "" => Phase::Firing,
        _ => Phase::Other,
    };
    let cycle = ["alert_cycle_key", "cycle_key"]
        .iter()
        .find_map(|path| notice.label(path));
    let scope = ["scopes", "scope", "alert_scope"]
        .iter()
        .find_map(|path| notice.label(path));
    let subject = ["aggreg_key", "monitor_id", "alert_id"]
        .iter()
        .find_map(|path| notice.label(path))
        .map(|monitor| format!("{monitor}:{}", scope.unwrap_or_default()));
    let occurrence = match (&subject, cycle) {
        (Some(subject), Some(cycle)) => Some(format!("{subject}:{cycle}")),
        // The id of an event distinguishes a repeated delivery from a new one.
        (Some(subject), None) => notice.label("id").map(|id| format!("{subject}:{id}")),
        _ => None,
    };
    vec![Notice {
        subject,
        occurrence,
        phase,
        happened_us,
        ..notice
    }]
}
