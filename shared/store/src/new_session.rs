//! An alert to be accepted.

use serde_json::value::RawValue;
use tarsy_model::{SessionId, Suppression};
use uuid::Uuid;

/// An alert to be accepted.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// Id of the session if it is fresh.
    pub session_id: SessionId,
    /// Id the sender asks about if it is fresh.
    pub alert_id: Uuid,
    /// Selects the chain that investigates it.
    pub alert_type: String,
    /// The alert's data with defaults filled in.
    pub data: Box<RawValue>,
    /// Free text.
    pub severity: String,
    /// When it happened; `None`: now, by the database's clock.
    pub alert_timestamp_us: Option<i64>,
    /// Kind of sender, e.g. `api` or `alertmanager`.
    pub source: String,
    /// Who sent it, as far as is known.
    pub author: Option<String>,
    /// Equal for two alerts about the same trouble.
    pub fingerprint: String,
    /// The sender's own key, if it gave one.
    pub idempotency_key: Option<String>,
    /// Chain that answers it.
    pub chain_id: String,
    /// That chain as it is now.
    pub chain_definition: Box<RawValue>,
    /// Where the runbook is.
    pub runbook_url: Option<String>,
    /// W3C trace context of the request.
    pub traceparent: Option<String>,
    /// When the alert is not investigated again; `None`: it always is.
    pub suppressible: Option<Suppressible>,
}

/// An alert that may be suppressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressible {
    /// What it is about, whenever it occurs: the source and its name of the trouble.
    pub subject: String,
    /// When it is suppressed.
    pub rule: Suppression,
}
