//! Any JSON object. The source's mapping defines where its values are.

use serde_json::Value;
use tarsy_config::{Mapping, WebhookConfig};

use crate::webhooks::micros_of;
use crate::webhooks::vendor::{Notice, Phase};

pub(super) fn notices(
    source: &WebhookConfig,
    payload: Value,
    delivery: Option<String>,
) -> Vec<Notice> {
    let notice = Notice::about(payload, Phase::Firing);
    let choose = |mapping: &Mapping| {
        let label = |path: &str| notice.labels.get(path).map(String::as_str);
        mapping.choose(label, label, |_| true)
    };
    let status = choose(&source.status)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let phase = match status.as_str() {
        "resolved" | "recovered" | "ok" | "closed" => Phase::Resolved,
        "ignore" => Phase::Other,
        _ => Phase::Firing,
    };
    let subject = choose(&source.id).or_else(|| delivery.clone());
    let happened_us = ["startsAt", "timestamp", "time"]
        .iter()
        .find_map(|path| micros_of(notice.labels.get(*path)?));
    vec![Notice {
        subject,
        occurrence: delivery,
        phase,
        happened_us,
        ..notice
    }]
}
