//! Opsgenie, alert actions. Note that `createdAt` is in milliseconds and `updatedAt` in nanoseconds.

use serde_json::Value;

use crate::Error;
use crate::webhooks::vendor::{Notice, Phase};

pub(super) fn notices(payload: Value) -> Result<Vec<Notice>, Error> {
    let phase = match payload["action"].as_str() {
        Some("Create") => Phase::Firing,
        Some("Close" | "Delete") => Phase::Resolved(None),
        Some(_) => Phase::Other,
        None => return Err(Error::field("action", "is missing")),
    };
    let alert = payload
        .get("alert")
        .filter(|alert| alert.is_object())
        .cloned();
    let Some(alert) = alert else {
        return Err(Error::field("alert", "is missing"));
    };
    let created_us = alert["createdAt"]
        .as_i64()
        .and_then(|ms| ms.checked_mul(1_000));
    let notice = Notice::about(alert, phase);
    let id = notice.label("alertId");
    if id.is_none() {
        return Err(Error::field("alert.alertId", "is missing"));
    }
    let notice = notice
        .name("title", "message")
        .name("severity", "priority")
        .name("service", "entity");
    Ok(vec![Notice {
        subject: id.clone(),
        occurrence: id,
        happened_us: created_us,
        ..notice
    }])
}
