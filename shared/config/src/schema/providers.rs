//! LLM providers and prices.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::scalars::{Flag, Length, Number, Text, Variable, Whole, Word, words};
use crate::model_options::EFFORT_WORDS;
use crate::provider::{REPLY_FORMAT_WORDS, TYPE_WORDS};

words!(Kind, TYPE_WORDS);
words!(Effort, EFFORT_WORDS);
words!(ReplyFormatWord, REPLY_FORMAT_WORDS);

/// An LLM provider. An entry with the name of a built-in one changes only what it sets.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Provider {
    /// API of the provider. Default: the name of the entry.
    #[schemars(rename = "type")]
    kind: Option<Word<Kind>>,
    /// Model name as the provider knows it.
    model: Option<Text>,
    /// Environment variable with the API key.
    api_key_env: Option<Variable>,
    /// Base URL of another endpoint, e.g. a gateway. `azure_openai`: that of the resource, which is required.
    base_url: Option<Text>,
    /// `azure_openai`: the deployment. Default: `model`.
    deployment: Option<Text>,
    /// `azure_openai`: version of the API. Default: 2024-10-21; a `base_url` that ends in `/openai/v1` has none.
    api_version: Option<Text>,
    /// `bedrock` and `vertex`: the region. Default: `AWS_REGION`; `global`.
    region: Option<Text>,
    /// `vertex`: the project. Default: `GOOGLE_CLOUD_PROJECT`.
    project: Option<Text>,
    /// `vertex`: key file of a service account. Default: `GOOGLE_APPLICATION_CREDENTIALS`, else the metadata server.
    credentials_file: Option<Text>,
    /// Sampling temperature. Default: the provider's.
    temperature: Option<Number<0, 2>>,
    /// Longest answer in tokens. Default: the provider's.
    max_tokens: Option<Whole<1, 10_000_000>>,
    /// How much the model is to think. Default: the model's own.
    reasoning_effort: Option<Word<Effort>>,
    /// Whether Gemini is asked for its thoughts, which are recorded. Default: true.
    thinking: Option<Flag>,
    /// How the model is asked to reply: the vendor's tool calling, one JSON object for each step, or text. Default: auto, as the
    /// strategy says; it changes after replies that can't be read.
    reply_format: Option<Word<ReplyFormatWord>>,
    /// Headers of every request, e.g. for a gateway.
    headers: Option<BTreeMap<String, Text>>,
    /// Longest silence within a streamed answer, its beginning included. Default: the longest call.
    stall_timeout: Option<Length>,
    /// Longest time before the first part of a streamed answer. Default: `stall_timeout`.
    first_token_timeout: Option<Length>,
    /// Longest call. Default: the agent's `llm_call_timeout`.
    timeout: Option<Length>,
    /// Certificate checks.
    tls: Option<Tls>,
    /// Tokens that fit the model's context window, answer included. Default: unknown, not enforced.
    context_window: Option<Whole<1_000, 100_000_000>>,
    /// Price of the model's tokens. Default: the `prices` entry of the model.
    price: Option<Price>,
    /// Providers or `fallback_lists` to ask, in order, when this one fails.
    fallbacks: Option<Vec<Text>>,
    /// YAML script of a `scripted` provider.
    script: Option<Text>,
}

/// Certificate checks of a provider.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Tls {
    /// Whether the certificate is verified. Default: true.
    verify: Option<Flag>,
    /// PEM file with more certificate authorities.
    ca_file: Option<Text>,
}

/// US dollars for a million tokens.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Price {
    /// Prompt tokens.
    input_per_million: Number<0, 100_000>,
    /// Answer tokens, reasoning included.
    output_per_million: Number<0, 100_000>,
    /// Prompt tokens read from the provider's cache. Default: `input_per_million`.
    cached_input_per_million: Option<Number<0, 100_000>>,
    /// Prompt tokens written to the provider's cache. Default: `input_per_million`.
    cache_write_per_million: Option<Number<0, 100_000>>,
}
