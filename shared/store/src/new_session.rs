//! Alerts to accept.

use serde_json::value::RawValue;
use tarsy_model::{SessionId, Suppression};
use uuid::Uuid;

/// An alert to accept.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// Id of the session, if a new one is created.
    pub session_id: SessionId,
    /// Id that the sender uses to query the alert, if a new session is created.
    pub alert_id: Uuid,
    /// Type of the alert, which selects the chain.
    pub alert_type: String,
    /// Data of the alert, with defaults filled in.
    pub data: Box<RawValue>,
    /// Severity; free text.
    pub severity: String,
    /// Time of the alert, in Unix microseconds; `None`: now, by the database's clock.
    pub alert_timestamp_us: Option<i64>,
    /// Kind of sender, e.g. `api` or `alertmanager`.
    pub source: String,
    /// Sender, if known.
    pub author: Option<String>,
    /// Fingerprint, equal for two alerts about the same problem.
    pub fingerprint: String,
    /// Idempotency key of the sender, if any.
    pub idempotency_key: Option<String>,
    /// Chain that investigates the alert.
    pub chain_id: String,
    /// Current definition of that chain.
    pub chain_definition: Box<RawValue>,
    /// Address of the runbook.
    pub runbook_url: Option<String>,
    /// W3C trace context of the request.
    pub traceparent: Option<String>,
    /// Rule under which the alert is not investigated again; `None`: it is never suppressed.
    pub suppressible: Option<Suppressible>,
}

/// An alert that may be suppressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressible {
    /// Identity of the problem over all its occurrences: the source and the source's name of the problem.
    pub subject: String,
    /// Rule that decides when the alert is suppressed.
    pub rule: Suppression,
}
