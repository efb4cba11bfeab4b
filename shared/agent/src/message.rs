//! The conversation with the model, free of any provider's types.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool call that the model made through the provider's own mechanism.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NativeCall {
    /// The provider's id of the call; its answer must carry it.
    pub id: String,
    /// Tool name as offered, see [`crate::ToolOffer::wire_name`].
    pub name: String,
    /// Arguments as given.
    #[serde(default)]
    pub arguments: Value,
}

/// One message, in the shape in which it is recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Instructions.
    System {
        /// Text.
        content: String,
    },
    /// The question, an observation or a correction.
    User {
        /// Text.
        content: String,
    },
    /// What the model said.
    Assistant {
        /// Text; may be empty when there are tool calls.
        content: String,
        /// Native tool calls, in the model's order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<NativeCall>,
    },
    /// The answer to a native tool call.
    Tool {
        /// Id of the call it answers.
        tool_call_id: String,
        /// What the tool said.
        content: String,
    },
}

impl Message {
    /// A user message.
    pub fn user(content: impl Into<String>) -> Self {
        Self::User { content: content.into() }
    }

    /// A system message.
    pub fn system(content: impl Into<String>) -> Self {
        Self::System { content: content.into() }
    }

    /// The text of the message.
    #[must_use]
    pub fn content(&self) -> &str {
        match self {
            Self::System { content }
            | Self::User { content }
            | Self::Assistant { content, .. }
            | Self::Tool { content, .. } => content,
        }
    }
}
