//! APIs of LLM providers.

use serde::{Deserialize, Serialize};

use crate::words;

/// The API of an LLM provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProviderKind {
    /// `OpenAI`, and every server that implements its `/chat/completions`.
    #[serde(rename = "openai")]
    OpenAi,
    /// `OpenAI`'s `/responses`.
    #[serde(rename = "openai_responses")]
    OpenAiResponses,
    /// Azure `OpenAI`: `/chat/completions` of a deployment.
    #[serde(rename = "azure_openai")]
    AzureOpenAi,
    /// Google Gemini, `:generateContent`.
    #[serde(rename = "gemini")]
    Gemini,
    /// Gemini and Claude on Google's Vertex AI.
    #[serde(rename = "vertex")]
    Vertex,
    /// xAI, `/chat/completions`.
    #[serde(rename = "xai")]
    Xai,
    /// Anthropic, `/messages`.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// Amazon Bedrock, `/converse`.
    #[serde(rename = "bedrock")]
    Bedrock,
    /// Ollama's own `/api/chat`.
    #[serde(rename = "ollama")]
    Ollama,
    /// No model: plays a YAML script, for demos and tests.
    #[serde(rename = "scripted")]
    Scripted,
}

words!(ProviderKind {
    OpenAi => "openai",
    OpenAiResponses => "openai_responses",
    AzureOpenAi => "azure_openai",
    Gemini => "gemini",
    Vertex => "vertex",
    Xai => "xai",
    Anthropic => "anthropic",
    Bedrock => "bedrock",
    Ollama => "ollama",
    Scripted => "scripted",
});

impl ProviderKind {
    /// Returns the environment variable of the key that is used if the configuration names none.
    #[must_use]
    pub const fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi | Self::OpenAiResponses => Some("OPENAI_API_KEY"),
            Self::AzureOpenAi => Some("AZURE_OPENAI_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Vertex => Some("VERTEX_ACCESS_TOKEN"),
            Self::Xai => Some("XAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Bedrock => Some("AWS_BEARER_TOKEN_BEDROCK"),
            Self::Ollama | Self::Scripted => None,
        }
    }

    /// Returns the base URL of the public service, without a trailing slash. `None`: there is none, or it depends on
    /// the account.
    #[must_use]
    pub const fn public_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi | Self::OpenAiResponses => Some("https://api.openai.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
            Self::Xai => Some("https://api.x.ai/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Ollama => Some("http://localhost:11434"),
            Self::AzureOpenAi | Self::Vertex | Self::Bedrock | Self::Scripted => None,
        }
    }

    /// Returns the kind whose message format a model of this kind expects. Clouds serve the models of other vendors in
    /// those vendors' formats.
    #[must_use]
    pub fn dialect(self, model: &str) -> Self {
        match self {
            Self::AzureOpenAi => Self::OpenAi,
            Self::Vertex if model.trim().starts_with("claude") => Self::Anthropic,
            Self::Vertex => Self::Gemini,
            kind => kind,
        }
    }

    /// Returns the kind whose catalogue prices apply to this kind's own endpoint.
    #[must_use]
    pub const fn priced_as(self) -> Self {
        match self {
            Self::OpenAiResponses => Self::OpenAi,
            kind => kind,
        }
    }

    /// Returns how many tools a request may offer; the provider refuses more. `None`: no limit is known.
    /// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>
    #[must_use]
    pub const fn most_tools(self) -> Option<usize> {
        match self {
            Self::OpenAi | Self::OpenAiResponses | Self::AzureOpenAi | Self::Xai => Some(128),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ProviderKind;

    #[test]
    fn the_word_of_records_is_that_of_the_configuration() {
        for kind in ProviderKind::ALL {
            let recorded = serde_json::to_value(kind).expect("writable");
            assert_eq!(recorded, kind.as_str());
            let read: ProviderKind = serde_json::from_value(recorded).expect("readable");
            assert_eq!(read, *kind);
        }
    }
}
