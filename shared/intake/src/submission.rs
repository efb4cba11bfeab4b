//! Builds the session that `POST /alerts` creates from a body.
//!
//! All callers use this one function: accepting an alert, both dry runs, and resubmitting a rejected alert.

use chrono::Utc;
use tarsy_config::settings::IngestSettings;
use tarsy_store::new_session::NewSession;

use crate::Error;
use crate::canonical::Bounds;
use crate::chains::Chains;
use crate::envelope::Envelope;
use crate::session::{Origin, Parts, new_session};

/// The sender of an alert.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    /// Name of the API key or person.
    pub author: String,
    /// The sender's `Idempotency-Key`, scoped to the sender.
    pub idempotency_key: Option<String>,
    /// W3C trace context of the request.
    pub traceparent: Option<String>,
}

/// Builds the session that `POST /alerts` would store for `body`. Nothing is stored.
///
/// # Errors
///
/// The errors of `POST /alerts` that depend only on the alert and the configuration.
pub fn session_for_alert(
    chains: &Chains,
    limits: &IngestSettings,
    sender: Sender,
    body: &str,
) -> Result<NewSession, Error> {
    let alert = Envelope::read(body)?;
    let chain = chains.chain(&alert.alert_type)?;
    if !chains.has_provider() {
        return Err(Error::NoLlmProvider);
    }
    // The prefix distinguishes these from fingerprints of webhook sources, which begin with the
    // source's name. So no client can post an alert that a source's alert is merged into.
    let fingerprint = alert.fingerprint.map(|name| format!("/alerts:{name}"));
    let origin = Origin {
        source: "api",
        idempotency_key: sender.idempotency_key,
        author: Some(sender.author),
        subject: fingerprint.clone(),
        fingerprint,
        traceparent: sender.traceparent,
        now_us: Utc::now().timestamp_micros(),
    };
    let parts = Parts {
        alert_type: alert.alert_type,
        runbook: alert.runbook,
        severity: alert.severity,
        environment: None,
        timestamp_us: alert.timestamp_us,
        data: alert.data,
        others: alert.others,
    };
    let bounds = Bounds::from_settings(limits);
    Ok(new_session(parts, chain, origin, bounds)?)
}
