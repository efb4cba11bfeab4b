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

use axum::http::HeaderMap;
use serde_json::Value;
use tarsy_config::{WebhookConfig, WebhookKind};

use crate::problem::{FieldError, Problem};

pub(crate) use flat::flatten;
pub(crate) use sns_alarm::notices as sns_notices;

/// Whether the trouble is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It is.
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
    /// What the source's mappings choose from: every scalar by its path, beside the vendor's
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
) -> Result<Vec<Notice>, Problem> {
    if source.kind == WebhookKind::Cloudevents {
        return cloudevents::notices(source, headers, body);
    }
    let payload: Value = serde_json::from_str(body)
        .map_err(|error| Problem::from(crate::alert::Unreadable::from(error)))?;
    if !payload.is_object() {
        return Err(field("", "the body must be a JSON object"));
    }
    match source.kind {
        WebhookKind::Pagerduty => pagerduty::notices(&payload),
        WebhookKind::Datadog => Ok(datadog::notices(payload)),
        WebhookKind::Sentry => sentry::notices(payload, header(headers, "request-id")),
        WebhookKind::Opsgenie => opsgenie::notices(payload),
        WebhookKind::StandardWebhooks => Ok(generic::notices(
            source,
            payload,
            header(headers, "webhook-id"),
        )),
        _ => Ok(generic::notices(source, payload, None)),
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get(name)?
        .to_str()
        .ok()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

fn field(name: &str, detail: &str) -> Problem {
    Problem::InvalidAlert(vec![FieldError::new(name, detail)])
}
