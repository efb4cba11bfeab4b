//! An alert as it was accepted.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::UnixMicros;

/// Values an alert gets when it names none.
#[derive(Clone, Copy, Debug)]
pub struct AlertDefaults;

impl AlertDefaults {
    /// Severity of an alert that names none.
    pub const SEVERITY: &'static str = "warning";
    /// Environment of an alert that names none.
    pub const ENVIRONMENT: &'static str = "production";
}

/// A validated alert with defaults filled in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Alert {
    /// Selects the chain that investigates it.
    pub alert_type: String,
    /// Where the runbook is: a URL or `local:<name>`; some sources have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runbook: Option<String>,
    /// Free text; see [`crate::priority_of`].
    pub severity: String,
    /// When the alert says it happened; `None`: the database's clock at acceptance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<UnixMicros>,
    /// Arbitrary JSON object, exactly as sent: numbers keep every digit, strings every character.
    pub data: Box<RawValue>,
}
