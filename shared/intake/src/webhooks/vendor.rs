//! What a vendor's payload says, in one form: notices.

mod cloudevents;
mod datadog;
mod flat;
mod generic;
mod opsgenie;
mod pagerduty;
mod sentry;
mod sns_alarm;

use std::collections::BTreeMap;

use http::HeaderMap;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tarsy_config::{WebhookConfig, WebhookKind};

use crate::Error;

pub(crate) use cloudevents::{CloudEvent, events};
pub(crate) use flat::flatten;
pub(crate) use sns_alarm::notices as sns_notices;

/// Whether the trouble is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Firing,
    /// It is over, since this time where the sender says so.
    Resolved(Option<i64>),
    /// Something else happened that needs nobody.
    Other,
}

/// One thing that a payload says.
#[derive(Debug)]
pub(crate) struct Notice {
    /// The sender's name for the trouble; `None`: its content is its name.
    pub(crate) subject: Option<String>,
    /// The sender's name for this occurrence of it, the same each time it is sent again.
    pub(crate) occurrence: Option<String>,
    pub(crate) phase: Phase,
    pub(crate) happened_us: Option<i64>,
    /// What the source's mappings choose from: every scalar by its path, besides the vendor's
    /// `title`, `service`, `severity` and `status` under these names.
    pub(crate) labels: BTreeMap<String, String>,
    /// What an investigator sees; an object.
    pub(crate) data: Value,
}

impl Notice {
    /// A notice about an object, its labels made of it.
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

    /// Give a label a name that does not depend on the vendor.
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

/// What a payload says. SNS and Alertmanager's form are read elsewhere.
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
        // Sentry's `Request-ID` is not signed: who has a copy may send it with another.
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

/// The object that a body is.
pub(crate) fn object(body: &str) -> Result<Value, Error> {
    let payload: Value = serde_json::from_str(body).map_err(|error| Error::unreadable(&error))?;
    if !payload.is_object() {
        return Err(Error::field("", "the body must be a JSON object"));
    }
    Ok(payload)
}

/// A delivery's name by its body, and by the time that is signed with it.
pub(crate) fn body_name(source: &WebhookConfig, headers: &HeaderMap, body: &str) -> String {
    signed_name(source, headers, body).unwrap_or_else(|| digest(None, body))
}

/// A delivery's name by what is signed of it, the time included where it is. A source that signs
/// nothing has none: its payload says the same again when the same happens again.
fn signed_name(source: &WebhookConfig, headers: &HeaderMap, body: &str) -> Option<String> {
    let signs = source.signature_header.is_some() && !source.secrets_env.is_empty();
    let time = source.timestamp_header.as_ref();
    let time = time.and_then(|name| header(headers, name));
    signs.then(|| digest(time.as_deref(), body))
}

fn digest(time: Option<&str>, body: &str) -> String {
    let mut digest = Sha256::new();
    if let Some(time) = time {
        digest.update(time);
        digest.update(":");
    }
    digest.update(body);
    let digest = digest.finalize();
    let hex = digest.iter().map(|byte| format!("{byte:02x}"));
    std::iter::once("sha256:".to_owned()).chain(hex).collect()
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get(name)?
        .to_str()
        .ok()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}
