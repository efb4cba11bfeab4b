//! PagerDuty, webhook version 3. Events may arrive in any order, so an incident's state is taken
//! from its data. An incident is one occurrence for its whole life.

use serde_json::Value;

use crate::Error;
use crate::webhooks::micros_of;
use crate::webhooks::vendor::{Notice, Phase};

pub(super) fn notices(payload: &Value) -> Result<Vec<Notice>, Error> {
    let Some(event) = payload.get("event").filter(|event| event.is_object()) else {
        return Err(Error::field("event", "is missing"));
    };
    let is_incident = event["resource_type"] == "incident" && event["data"]["type"] == "incident";
    let happened_us = event["occurred_at"].as_str().and_then(micros_of);
    let phase = match event["data"]["status"].as_str() {
        Some("triggered") if is_incident => Phase::Firing,
        Some("resolved") if is_incident => Phase::Resolved(happened_us),
        _ => Phase::Other,
    };
    let notice = Notice::about(event["data"].clone(), phase);
    let id = notice.label("id");
    if phase != Phase::Other && id.is_none() {
        return Err(Error::field("event.data.id", "is missing"));
    }
    let notice = Notice {
        subject: id.clone(),
        occurrence: id,
        happened_us,
        ..notice
    };
    let notice = notice
        .name("service", "service.summary")
        .name("severity", "priority.summary");
    let notice = if notice.label("severity").is_none() {
        notice.name("severity", "urgency")
    } else {
        notice
    };
    Ok(vec![notice])
}
