//! Keys of LLM providers.

use tarsy_model::{ProviderKind, ReasoningEffort, ReplyFormat};

use crate::fields::{ByName, Flag, Length, Text, Variable, Whole, Word, choice, section};
use crate::model_options::Temperature;
use crate::price::PriceFields;

choice!(ReplyFormat);

/// Word of `type`.
pub(crate) struct Type;

/// The words of `type`. `google` is the word for `gemini` in older documents.
const TYPE_WORDS: [&str; ProviderKind::WORDS.len() + 1] = {
    let mut words = ["google"; ProviderKind::WORDS.len() + 1];
    let mut at = 0;
    while at < ProviderKind::WORDS.len() {
        words[at] = ProviderKind::WORDS[at];
        at += 1;
    }
    words
};
choice!(Type: ProviderKind = TYPE_WORDS, kind_of);

/// Returns the kind that a word of `type` stands for.
pub(crate) fn kind_of(word: &str) -> Option<ProviderKind> {
    match word {
        "google" => Some(ProviderKind::Gemini),
        word => ProviderKind::from_word(word),
    }
}

section! {
    /// An LLM provider. An entry with the name of a built-in provider overrides only the keys that it sets.
    struct ProviderFields("Provider", "LLM provider") {
        /// API of the provider. Default: the name of the entry.
        r#type: Word<Type>,
        /// Model name as the provider knows it.
        model: Text,
        /// Name of the environment variable with the API key.
        api_key_env: Variable,
        /// Base URL of another endpoint, e.g. a gateway. For `azure_openai`: base URL of the resource; required.
        base_url: Text,
        /// Name of the deployment; for `azure_openai`. Default: `model`.
        deployment: Text,
        /// API version; for `azure_openai`. Default: 2024-10-21, or none if `base_url` ends in `/openai/v1`.
        api_version: Text,
        /// Region; for `bedrock` and `vertex`. Default: `AWS_REGION` for `bedrock`, `global` for `vertex`.
        region: Text,
        /// Google Cloud project; for `vertex`. Default: `GOOGLE_CLOUD_PROJECT`.
        project: Text,
        /// Key file of a service account; for `vertex`. Default: `GOOGLE_APPLICATION_CREDENTIALS`, or else the metadata
        /// server.
        credentials_file: Text,
        /// Sampling temperature. Default: the provider's.
        temperature: Temperature,
        /// Maximum length of an answer, in tokens. Default: the provider's.
        max_tokens: Whole<1, 10_000_000, u32>,
        /// Reasoning effort of the model. Default: the model's.
        reasoning_effort: Word<ReasoningEffort>,
        /// Whether to ask Gemini for its thoughts, which are then recorded. Default: true.
        thinking: Flag,
        /// Form of the model's replies. `native`: the vendor's tool calling; `json`: one JSON object per step; `text`:
        /// text. Default: auto, which uses the form of the iteration strategy and changes it after replies that can't be
        /// parsed.
        reply_format: Word<ReplyFormat>,
        /// Headers to send with every request, e.g. for a gateway.
        headers: ByName<Text>,
        /// Maximum pause in a streamed answer, including the time before its first part. Default: the maximum duration of
        /// the call.
        stall_timeout: Length,
        /// Maximum time before the first part of a streamed answer. Default: `stall_timeout`.
        first_token_timeout: Length,
        /// Maximum duration of a call. Default: the agent's `llm_call_timeout`.
        timeout: Length,
        /// Verification of the server's certificate.
        tls: TlsFields,
        /// Size of the model's context window in tokens, including the answer. Default: unknown and not enforced.
        context_window: Whole<1_000, 100_000_000, u32>,
        /// Price of the model. Default: the model's entry in `prices`.
        price: PriceFields,
        /// Providers or `fallback_lists` to try in this order when this provider fails.
        fallbacks: Vec<Text>,
        /// Path of the YAML script; for `scripted`.
        script: Text,
    }
}

section! {
    /// Verification of a provider's certificate.
    struct TlsFields("Tls") {
        /// Whether to verify the certificate. Default: true.
        verify: Flag,
        /// PEM file with additional certificate authorities.
        ca_file: Text,
    }
}
