//! The record of one call attempt.

use serde::{Deserialize, Serialize};

use crate::ErrorClass;

/// One call to one provider, as stored in the record of the interaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// Name of the configured provider.
    pub provider: String,
    /// Name of the model as sent.
    pub model: String,
    /// Class of the error; `None`: this attempt returned the answer.
    pub class: Option<ErrorClass>,
    /// Error message without secrets; empty for the answer.
    pub message: String,
    /// Wall time of the call.
    pub duration_ms: u64,
    /// Wait that the provider asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Wait before this attempt.
    #[serde(default)]
    pub waited_ms: u64,
}
