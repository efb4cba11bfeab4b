//! Options for the calls of a model.

use serde::{Deserialize, Serialize};

use crate::ReasoningEffort;

/// Options of a stage or an agent for its model calls. An option that is left out is as the provider has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelOptions {
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Reasoning effort of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether the model is asked to return its thoughts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<bool>,
    /// Providers to ask, in order, if the first one fails. The list may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallbacks: Option<Vec<String>>,
}

impl ModelOptions {
    /// Whether every option is left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns these options, completed with those of `other`.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self {
            temperature: self.temperature.or(other.temperature),
            reasoning_effort: self.reasoning_effort.or(other.reasoning_effort),
            thinking: self.thinking.or(other.thinking),
            fallbacks: self
                .fallbacks
                .as_ref()
                .or(other.fallbacks.as_ref())
                .cloned(),
        }
    }
}
