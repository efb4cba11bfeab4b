//! Converts vendors' payloads to notices, one format for all.

mod cloudevents;
mod datadog;
mod flat;
mod generic;
mod opsgenie;
mod pagerduty;
mod sentry;
mod sns_alarm;

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use http::HeaderMap;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tarsy_config::{WebhookConfig, WebhookKind};

use crate::Error;

pub(crate) use cloudevents::{CloudEvent, events};
pub(crate) use flat::flatten;
pub(crate) use sns_alarm::notices as sns_notices;

/// State of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Firing,
    /// It is over, since this time if the sender names one.
    Resolved(Option<i64>),
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

    /// Copies a label to a name that does not depend on the vendor.
    fn name(mut self, name: &str, path: &str) -> Self {
        if let Some(value) = self
            .labels
            .get(path)
            .filter(|value| !value.is_empty())
            .cloned()
        {
            self.labels.insert(name.to_owned(), value);
        }
        self
    }

    fn label(&self, path: &str) -> Option<String> {
        self.labels
            .get(path)
            .filter(|value| !value.is_empty())
            .cloned()
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
        WebhookKind::Pagerduty => pagerduty::notices(&payload),
        WebhookKind::Datadog => Ok(datadog::notices(payload)),
        // Sentry's `Request-ID` is not signed, so a copy of a request could be replayed with another id.
        WebhookKind::Sentry => sentry::notices(payload, Some(digest(None, body))),
        WebhookKind::Opsgenie => opsgenie::notices(payload),
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
