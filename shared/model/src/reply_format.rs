//! Formats in which a model replies.

use serde::{Deserialize, Serialize};

use crate::words;

/// Format in which a provider's model is asked to reply during an investigation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplyFormat {
    /// Depends on the strategy: `regular` begins with the vendor's tool calling, the others with text.
    #[default]
    Auto,
    /// The vendor's tool calling.
    Native,
    /// One JSON object for each step, which the provider enforces.
    Json,
    /// Sections of text: thought, action, observation.
    Text,
}

words!(ReplyFormat {
    Auto => "auto",
    Native => "native",
    Json => "json",
    Text => "text",
});
