//! How a stage asks its model.

use serde::{Deserialize, Serialize};

use crate::ReasoningEffort;

/// What a stage or an agent says about its questions to a model. What it leaves out is as the provider has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelOptions {
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How much the model thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether the model is asked for its thoughts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<bool>,
    /// Providers to ask, in order, when the first one fails; may be none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallbacks: Option<Vec<String>>,
}

impl ModelOptions {
    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These options, and those of `other` for what they leave out.
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
