//! The record of one call attempt.

use serde::{Deserialize, Serialize};

use crate::ErrorClass;

/// One call to one provider, as it goes into the record of the interaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// Configured provider.
    pub provider: String,
    /// Model as sent.
    pub model: String,
    /// `None`: this attempt brought the answer.
    pub class: Option<ErrorClass>,
    /// What went wrong, without secrets; empty for the answer.
    pub message: String,
    /// Wall time of the call.
    pub duration_ms: u64,
    /// What the provider asked to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// How long was waited before this attempt.
    #[serde(default)]
    pub waited_ms: u64,
}
