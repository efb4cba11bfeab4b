//! Reads the message of an SNS notification: a CloudWatch alarm, or any JSON object.

use chrono::DateTime;
use serde_json::{Value, json};
use tarsy_config::WebhookConfig;

use crate::webhooks::vendor::{Notice, Phase, generic};

/// Reads the notices of a message. `message_id` stays the same when the message is sent again.
pub(crate) fn notices(source: &WebhookConfig, message: &str, message_id: &str) -> Vec<Notice> {
    let object = serde_json::from_str::<Value>(message)
        .ok()
        .filter(Value::is_object);
    let data = object.unwrap_or_else(|| json!({ "message": message }));
    if data["AlarmName"].as_str().is_none() {
        return generic::notices(source, data, Some(message_id.to_owned()));
    }
    let changed = data["StateChangeTime"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let happened_us = micros(&changed);
    let phase = match data["NewStateValue"].as_str() {
        Some("ALARM") => Phase::Firing,
        Some("OK") => Phase::Resolved(happened_us),
        _ => Phase::Other,
    };
    let notice = Notice::about(data, phase)
        .name("title", "AlarmName")
        .name("service", "Trigger.Namespace");
    let name = notice.label("AlarmName").unwrap_or_default();
    let place = format!(
        "{}:{}",
        notice.label("AWSAccountId").unwrap_or_default(),
        notice.label("Region").unwrap_or_default()
    );
    let subject = notice
        .label("AlarmArn")
        .unwrap_or_else(|| format!("{place}:{name}"));
    let occurrence = Some(format!("{subject}@{changed}"));
    vec![Notice {
        subject: Some(subject),
        occurrence,
        happened_us,
        ..notice
    }]
}

/// Parses a time of CloudWatch, whose offset `+0000` is not valid in RFC 3339.
fn micros(text: &str) -> Option<i64> {
    DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z")
        .ok()
        .map(|time| time.timestamp_micros())
}
