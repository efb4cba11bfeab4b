//! APIs of LLM providers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The API that an LLM provider has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// `OpenAI`, and every server with its `/chat/completions`.
    OpenAi,
    /// Google Gemini, `:generateContent`.
    Gemini,
    /// xAI, `/chat/completions`.
    Xai,
    /// Anthropic, `/messages`.
    Anthropic,
    /// Ollama's own `/api/chat`.
    Ollama,
    /// No model: plays a YAML script, for demos and tests.
    Scripted,
}

impl ProviderKind {
    /// The word in configuration and records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Xai => "xai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
            Self::Scripted => "scripted",
        }
    }
}

impl fmt::Display for ProviderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
