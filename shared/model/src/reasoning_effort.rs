//! Reasoning effort of a model.

use serde::{Deserialize, Serialize};

use crate::words;

/// Reasoning effort, in the words of OpenAI. For other vendors, the nearest setting is used.
/// <https://platform.openai.com/docs/guides/reasoning>
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words say it")]
pub enum ReasoningEffort {
    None,
    Minimal,
    Low,
    Medium,
    High,
    XHigh,
    Max,
}

words!(ReasoningEffort {
    None => "none",
    Minimal => "minimal",
    Low => "low",
    Medium => "medium",
    High => "high",
    XHigh => "xhigh",
    Max => "max",
});
