//! Converts vendors' payloads to notices. `vendors.yaml` describes most formats.

mod cloudevents;
mod flat;
mod generic;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use data_encoding::HEXLOWER;
use http::HeaderMap;
use minijinja::context;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tarsy_config::{WebhookConfig, WebhookKind};

use crate::Error;
use crate::webhooks::formats::{self, Formats};

pub(crate) use cloudevents::{CloudEvent, events};
pub(crate) use flat::flatten;

static VENDORS: Formats =
    LazyLock::new(|| serde_saphyr::from_str(include_str!("vendor/vendors.yaml")));

/// State of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Firing,
    /// It is over.
    Resolved,
    /// Another event that needs no action.
    Other,
}

/// One event of a payload.
#[derive(Debug)]
pub(crate) struct Notice {
    /// The sender's name for the problem. `None`: the content identifies it.
    pub(crate) subject: Option<String>,
    /// The sender's name for this occurrence, the same each time it is sent again.
    pub(crate) occurrence: Option<String>,
    pub(crate) phase: Phase,
    pub(crate) happened_us: Option<i64>,
    /// Values that the source's mappings choose from: every scalar by its path, and the vendor's
    /// `title`, `service`, `severity` and `status` under these names.
    pub(crate) labels: BTreeMap<String, String>,
    /// Data that the investigation sees; an object.
    pub(crate) data: Value,
}

impl Notice {
    /// Creates a notice about an object. Its scalars are the labels.
    fn about(data: Value, phase: Phase) -> Self {
        Self {
            subject: None,
            occurrence: None,
            phase,
            happened_us: None,
            labels: flatten(&data),
            data,
        }
    }
}

/// Reads the notices of a payload. Payloads of SNS and Alertmanager are read elsewhere.
pub(crate) fn read(
    source: &WebhookConfig,
    headers: &HeaderMap,
    body: &str,
) -> Result<Vec<Notice>, Error> {
    if source.kind == WebhookKind::Cloudevents {
        return cloudevents::notices(source, headers, body);
    }
    let payload = object(body)?;
    match source.kind {
        WebhookKind::Pagerduty
        | WebhookKind::Datadog
        | WebhookKind::Sentry
        | WebhookKind::Opsgenie => described(source.kind.as_str(), &payload, body),
        WebhookKind::StandardWebhooks => Ok(generic::notices(
            source,
            payload,
            header(headers, "webhook-id"),
        )),
        _ => {
            let mut notices = generic::notices(source, payload, None);
            for notice in &mut notices {
                notice.occurrence = signed_name(source, headers, body);
            }
            Ok(notices)
        }
    }
}

/// Reads the notice of a payload whose format `vendors.yaml` describes.
fn described(format: &str, payload: &Value, body: &str) -> Result<Vec<Notice>, Error> {
    // Headers that name a delivery, such as Sentry's `Request-ID`, are not signed, so a copy of a request could be
    // replayed with another id.
    let names = context! { delivery => digest(None, body) };
    let mut fields = formats::draft(&VENDORS, format, payload, names)?.unwrap_or_default();
    let about = fields.remove("about").unwrap_or_default();
    let data = payload.pointer(&about).cloned().unwrap_or_default();
    let phase = match fields.remove("phase").as_deref() {
        Some("firing") => Phase::Firing,
        Some("resolved") => Phase::Resolved,
        _ => Phase::Other,
    };
    let mut notice = Notice::about(data, phase);
    notice.subject = fields.remove("subject");
    notice.occurrence = fields.remove("occurrence");
    notice.happened_us = fields.remove("happened_us").and_then(|us| us.parse().ok());
    notice.labels.extend(fields);
    Ok(vec![notice])
}

/// Reads the notices of an SNS message: a CloudWatch alarm, or any JSON object. `message_id` stays the same when the
/// message is sent again.
pub(crate) fn sns_notices(
    source: &WebhookConfig,
    message: &str,
    message_id: &str,
) -> Result<Vec<Notice>, Error> {
    let object = serde_json::from_str(message).ok().filter(Value::is_object);
    let data = object.unwrap_or_else(|| json!({ "message": message }));
    match data["AlarmName"].is_string() {
        true => described("cloudwatch", &data, message),
        false => Ok(generic::notices(source, data, Some(message_id.to_owned()))),
    }
}

/// Parses a body that must be a JSON object.
pub(crate) fn object(body: &str) -> Result<Value, Error> {
    let payload: Value = serde_json::from_str(body).map_err(|error| Error::unreadable(&error))?;
    if !payload.is_object() {
        return Err(Error::field("", "the body must be a JSON object"));
    }
    Ok(payload)
}

/// Returns an id of a delivery from its body, and from the time that is signed with it.
pub(crate) fn body_name(source: &WebhookConfig, headers: &HeaderMap, body: &str) -> String {
    signed_name(source, headers, body).unwrap_or_else(|| digest(None, body))
}

/// Returns an id of a delivery from its signed content, including the signed time if there is one.
/// A source that signs nothing gets none, because its payload is the same when the same happens
/// again.
fn signed_name(source: &WebhookConfig, headers: &HeaderMap, body: &str) -> Option<String> {
    let signs = source.signature_header.is_some() && !source.secrets_env.is_empty();
    let time = source.timestamp_header.as_ref();
    let time = time.and_then(|name| header(headers, name));
    signs.then(|| digest(time.as_deref(), body))
}

/// Returns a name of a text, and of the time that is signed with it.
pub(crate) fn digest(time: Option<&str>, text: &str) -> String {
    let mut digest = Sha256::new();
    if let Some(time) = time {
        digest.update(time);
        digest.update(":");
    }
    digest.update(text);
    format!("sha256:{}", HEXLOWER.encode(&digest.finalize()))
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get(name)?
        .to_str()
        .ok()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_described_format_names_its_subject_and_phase() {
        let formats = formats::fields(&VENDORS).unwrap();
        for format in ["pagerduty", "datadog", "sentry", "opsgenie", "cloudwatch"] {
            let fields = &formats[format];
            assert!(
                fields.contains(&"subject") && fields.contains(&"phase"),
                "{format}"
            );
        }
    }
}
