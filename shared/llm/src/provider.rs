//! Which provider speaks which wire format.

use serde::{Deserialize, Serialize};

/// A provider's wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// `OpenAI`, and everything that speaks its `/chat/completions`.
    #[serde(rename = "openai")]
    OpenAi,
    /// Google Gemini, `:generateContent`.
    Gemini,
    /// xAI, `/chat/completions`.
    Xai,
    /// Anthropic, `/messages`.
    Anthropic,
    /// Ollama's own `/api/chat`.
    Ollama,
    /// No model: plays a YAML script.
    Scripted,
}

impl ProviderKind {
    /// All kinds, in the order in which documentation lists them.
    pub const ALL: [Self; 6] = [
        Self::OpenAi,
        Self::Gemini,
        Self::Xai,
        Self::Anthropic,
        Self::Ollama,
        Self::Scripted,
    ];

    /// The word used in configuration and records.
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

    /// The kind named by a word of the configuration; `None` for an unknown one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Where the provider's public service is; empty for [`ProviderKind::Scripted`].
    #[must_use]
    pub const fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Xai => "https://api.x.ai/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Ollama => "http://localhost:11434/",
            Self::Scripted => "",
        }
    }

    /// Whether calls cannot succeed without a key at the public service.
    #[must_use]
    pub const fn needs_key(self) -> bool {
        !matches!(self, Self::Ollama | Self::Scripted)
    }
}

impl std::fmt::Display for ProviderKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
