//! Reads webhook payloads. Most formats are described in YAML files; all produce verdicts.

mod alertmanager;
mod change;
mod form;
mod formats;
mod judge;
mod signature;
mod sns;
mod times;
mod vendor;

use chrono::DateTime;
use http::HeaderMap;
use tarsy_config::{AlertMasker, WebhookConfig, WebhookKind};
use tarsy_store::changes::NewChange;
use tarsy_store::new_session::NewSession;
use tarsy_store::resolved::Resolution;

use crate::{Bounds, Chains, Error};

use alertmanager::Payload;
pub use form::json_of_form;
pub use signature::{verify, verify_slack};
use sns::Envelope;
pub use sns::Sns;

/// Context in which the payloads of a source are judged.
#[derive(Debug)]
pub struct Desk<'a> {
    /// Source of the payloads. Its sender is already authenticated, except for Amazon SNS.
    pub source: &'a WebhookConfig,
    /// Chains by alert type.
    pub chains: &'a Chains,
    /// Masker of texts of changes that are stored.
    pub masker: &'a AlertMasker,
    /// Client of Amazon SNS.
    pub sns: &'a Sns,
    /// Name of the API key or person that sent the request.
    pub author: &'a str,
    /// W3C trace context of the request.
    pub traceparent: Option<&'a str>,
    /// Limits of an alert's JSON.
    pub bounds: Bounds,
    /// Default of an alert's time, in Unix microseconds.
    pub now_us: i64,
}

impl Desk<'_> {
    /// Returns the action for each alert or change of a payload. Confirms a subscription of Amazon SNS.
    ///
    /// # Errors
    ///
    /// If the payload can't be read, or is not from Amazon SNS. An invalid alert is only rejected itself.
    pub async fn verdicts(&self, headers: &HeaderMap, body: &str) -> Result<Vec<Verdict>, Error> {
        let source = self.source;
        if let Some(change) = &source.change {
            let judge = change::Judge {
                source,
                change,
                masker: self.masker,
                now_us: self.now_us,
            };
            return change::verdicts(&judge, headers, body);
        }
        let notices = match source.kind {
            WebhookKind::Alertmanager | WebhookKind::Grafana => {
                return Ok(alertmanager::judge(self, &Payload::read(body)?));
            }
            WebhookKind::Sns => {
                let envelope = Envelope::open(body, source, self.sns, self.now_us).await?;
                match envelope.kind.as_str() {
                    "Notification" => {
                        vendor::sns_notices(source, &envelope.message, &envelope.message_id)?
                    }
                    "SubscriptionConfirmation" => {
                        envelope.confirm(self.sns).await?;
                        Vec::new()
                    }
                    _ => Vec::new(),
                }
            }
            _ => vendor::read(source, headers, body)?,
        };
        Ok(notices.iter().map(|notice| self.verdict(notice)).collect())
    }
}

/// Action for one alert or change of a payload.
#[derive(Debug)]
pub struct Verdict {
    /// The sender's name for the alert.
    pub fingerprint: String,
    /// The action.
    pub action: Action,
}

/// Action of a [`Verdict`].
#[derive(Debug)]
pub enum Action {
    /// The alert fires: create this session.
    Accept(Box<NewSession>),
    /// This occurrence is over: record that on its session.
    Resolve(Resolution),
    /// The problem with this name is over: record that on its newest session.
    ResolveSubject(String),
    /// Something changed: store this change.
    Record(Box<NewChange>),
    /// The alert neither fires nor ends, e.g. it was acknowledged: do nothing.
    Ignore,
    /// It is invalid.
    Reject(Error),
}

impl Verdict {
    /// Returns the session of a firing alert.
    #[must_use]
    pub fn session(&self) -> Option<&NewSession> {
        match &self.action {
            Action::Accept(session) => Some(session),
            _ => None,
        }
    }

    /// Returns the changes, in order.
    #[must_use]
    pub fn changes(verdicts: &[Self]) -> Vec<NewChange> {
        let changes = verdicts.iter().filter_map(|verdict| match &verdict.action {
            Action::Record(change) => Some((**change).clone()),
            _ => None,
        });
        changes.collect()
    }

    /// Returns the names of the problems that are over.
    #[must_use]
    pub fn subjects(verdicts: &[Self]) -> Vec<String> {
        let subjects = verdicts.iter().filter_map(|verdict| match &verdict.action {
            Action::ResolveSubject(subject) => Some(subject.clone()),
            _ => None,
        });
        subjects.collect()
    }

    /// Returns the occurrences that are over.
    #[must_use]
    pub fn resolved(verdicts: &[Self]) -> Vec<Resolution> {
        let resolutions = verdicts.iter().filter_map(|verdict| match &verdict.action {
            Action::Resolve(resolution) => Some(resolution.clone()),
            _ => None,
        });
        resolutions.collect()
    }
}

/// Converts an RFC 3339 time to Unix microseconds.
fn micros_of(text: &str) -> Option<i64> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    Some(time.timestamp_micros())
}
