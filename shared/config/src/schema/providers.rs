//! LLM providers and prices.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::scalars::{Flag, Length, Text, Variable, Word, words};
use crate::model_options::{EFFORT_WORDS, Temperature};
use crate::price::Dollars;
use crate::provider::{ContextWindow, MaxTokens, REPLY_FORMAT_WORDS, TYPE_WORDS};

words!(Kind, TYPE_WORDS);
words!(Effort, EFFORT_WORDS);
words!(ReplyFormatWord, REPLY_FORMAT_WORDS);

/// An LLM provider. An entry with the name of a built-in provider overrides only the keys that it sets.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Provider {
    /// API of the provider. Default: the name of the entry.
    #[schemars(rename = "type")]
    kind: Option<Word<Kind>>,
    /// Model name as the provider knows it.
    model: Option<Text>,
    /// Name of the environment variable with the API key.
    api_key_env: Option<Variable>,
    /// Base URL of another endpoint, e.g. a gateway. For `azure_openai`: base URL of the resource; required.
    base_url: Option<Text>,
    /// Name of the deployment; for `azure_openai`. Default: `model`.
    deployment: Option<Text>,
    /// API version; for `azure_openai`. Default: 2024-10-21, or none if `base_url` ends in `/openai/v1`.
    api_version: Option<Text>,
    /// Region; for `bedrock` and `vertex`. Default: `AWS_REGION` for `bedrock`, `global` for `vertex`.
    region: Option<Text>,
    /// Google Cloud project; for `vertex`. Default: `GOOGLE_CLOUD_PROJECT`.
    project: Option<Text>,
    /// Key file of a service account; for `vertex`. Default: `GOOGLE_APPLICATION_CREDENTIALS`, or else the metadata
    /// server.
    credentials_file: Option<Text>,
    /// Sampling temperature. Default: the provider's.
    temperature: Option<Temperature>,
    /// Maximum length of an answer, in tokens. Default: the provider's.
    max_tokens: Option<MaxTokens>,
    /// Reasoning effort of the model. Default: the model's.
    reasoning_effort: Option<Word<Effort>>,
    /// Whether to ask Gemini for its thoughts, which are then recorded. Default: true.
    thinking: Option<Flag>,
    /// Form of the model's replies. `native`: the vendor's tool calling; `json`: one JSON object per step; `text`:
    /// text. Default: auto, which uses the form of the iteration strategy and changes it after replies that can't be
    /// parsed.
    reply_format: Option<Word<ReplyFormatWord>>,
    /// Headers to send with every request, e.g. for a gateway.
    headers: Option<BTreeMap<String, Text>>,
    /// Maximum pause in a streamed answer, including the time before its first part. Default: the maximum duration of
    /// the call.
    stall_timeout: Option<Length>,
    /// Maximum time before the first part of a streamed answer. Default: `stall_timeout`.
    first_token_timeout: Option<Length>,
    /// Maximum duration of a call. Default: the agent's `llm_call_timeout`.
    timeout: Option<Length>,
    /// Verification of the server's certificate.
    tls: Option<Tls>,
    /// Size of the model's context window in tokens, including the answer. Default: unknown and not enforced.
    context_window: Option<ContextWindow>,
    /// Price of the model. Default: the model's entry in `prices`.
    price: Option<Price>,
    /// Providers or `fallback_lists` to try in this order when this provider fails.
    fallbacks: Option<Vec<Text>>,
    /// Path of the YAML script; for `scripted`.
    script: Option<Text>,
}

/// Verification of a provider's certificate.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Tls {
    /// Whether to verify the certificate. Default: true.
    verify: Option<Flag>,
    /// PEM file with additional certificate authorities.
    ca_file: Option<Text>,
}

/// Prices in US dollars per million tokens.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Price {
    /// Prompt tokens.
    input_per_million: Dollars,
    /// Answer tokens, including reasoning.
    output_per_million: Dollars,
    /// Prompt tokens read from the provider's cache. Default: `input_per_million`.
    cached_input_per_million: Option<Dollars>,
    /// Prompt tokens written to the provider's cache. Default: `input_per_million`.
    cache_write_per_million: Option<Dollars>,
}
