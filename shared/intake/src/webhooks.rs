//! Webhook payloads: each vendor's form in its own file, one form of verdict.

mod alertmanager;
mod change;
mod form;
mod judge;
mod signature;
mod sns;
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

/// What the payloads of a source are judged by.
#[derive(Debug)]
pub struct Desk<'a> {
    /// Whose payloads; its sender is authenticated already, except that of Amazon SNS.
    pub source: &'a WebhookConfig,
    /// Which chain answers which alert.
    pub chains: &'a Chains,
    /// Masks what is stored of changes.
    pub masker: &'a AlertMasker,
    /// Client of Amazon SNS.
    pub sns: &'a Sns,
    /// Name of the API key or person that sent the request.
    pub author: &'a str,
    /// W3C trace context of the request.
    pub traceparent: Option<&'a str>,
    /// Limits of an alert's JSON.
    pub bounds: Bounds,
    /// Time of alerts that name none, in Unix microseconds.
    pub now_us: i64,
}

impl Desk<'_> {
    /// What to do about each alert or change of a payload. A subscription of Amazon SNS is confirmed.
    ///
    /// # Errors
    ///
    /// If the payload can't be read, or is not from Amazon SNS; an alert that can't be used is rejected by itself.
    pub async fn verdicts(&self, headers: &HeaderMap, body: &str) -> Result<Vec<Verdict>, Error> {
        let source = self.source;
        if let Some(change) = &source.change {
            return change::verdicts((source, change), headers, body, self.masker, self.now_us);
        }
        let notices = match source.kind {
            WebhookKind::Alertmanager | WebhookKind::Grafana => {
                return Ok(alertmanager::judge(self, &Payload::read(body)?));
            }
            WebhookKind::Sns => {
                let envelope = Envelope::open(body, source, self.sns, self.now_us).await?;
                match envelope.kind.as_str() {
                    "Notification" => {
                        vendor::sns_notices(source, &envelope.message, &envelope.message_id)
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

/// What to do about one alert of a payload.
#[derive(Debug)]
pub struct Verdict {
    /// The sender's name for the alert.
    pub fingerprint: String,
    /// What to do.
    pub action: Action,
}

/// See [`Verdict`].
#[derive(Debug)]
pub enum Action {
    /// It fires: a session.
    Accept(Box<NewSession>),
    /// This occurrence is over: note that on its session.
    Resolve(Resolution),
    /// The trouble of this name is over: note that on its newest session.
    ResolveSubject(String),
    /// Something changed: a row.
    Record(Box<NewChange>),
    /// It neither fires nor ends, e.g. an acknowledgement.
    Ignore,
    /// It can't be used.
    Reject(Error),
}

impl Verdict {
    /// The session of a firing alert.
    #[must_use]
    pub fn session(&self) -> Option<&NewSession> {
        match &self.action {
            Action::Accept(session) => Some(session),
            _ => None,
        }
    }

    /// The changes, in order.
    #[must_use]
    pub fn changes(verdicts: &[Self]) -> Vec<NewChange> {
        let changes = verdicts.iter().filter_map(|verdict| match &verdict.action {
            Action::Record(change) => Some((**change).clone()),
            _ => None,
        });
        changes.collect()
    }

    /// The troubles that are over, by name.
    #[must_use]
    pub fn subjects(verdicts: &[Self]) -> Vec<String> {
        let subjects = verdicts.iter().filter_map(|verdict| match &verdict.action {
            Action::ResolveSubject(subject) => Some(subject.clone()),
            _ => None,
        });
        subjects.collect()
    }

    /// The occurrences that are over.
    #[must_use]
    pub fn resolved(verdicts: &[Self]) -> Vec<Resolution> {
        let resolutions = verdicts.iter().filter_map(|verdict| match &verdict.action {
            Action::Resolve(resolution) => Some(resolution.clone()),
            _ => None,
        });
        resolutions.collect()
    }
}

/// An RFC 3339 time in Unix microseconds.
fn micros_of(text: &str) -> Option<i64> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    Some(time.timestamp_micros())
}
