//! An alert as it was accepted.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::UnixMicros;

/// Values for the fields that an alert leaves out.
#[derive(Clone, Copy, Debug)]
pub struct AlertDefaults;

impl AlertDefaults {
    /// Severity of an alert that has none.
    pub const SEVERITY: &'static str = "warning";
    /// Environment of an alert that has none.
    pub const ENVIRONMENT: &'static str = "production";
}

/// A validated alert with defaults filled in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Alert {
    /// Selects the chain that investigates it.
    pub alert_type: String,
    /// Location of the runbook: a URL or `local:<name>`. Some sources have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runbook: Option<String>,
    /// Free text; see [`crate::priority_of`].
    pub severity: String,
    /// Time at which the alert happened, as its sender gives it; `None`: the database's clock at acceptance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<UnixMicros>,
    /// Arbitrary JSON object, exactly as sent: numbers keep every digit, strings every character.
    pub data: Box<RawValue>,
}
