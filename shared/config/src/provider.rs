//! LLM providers: model, endpoint and key.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use tarsy_model::{ProviderKind, ReasoningEffort, Secret};

use crate::fields::Fields;
use crate::references::Kind;
use crate::{Price, Resolved};

/// Words of `type`.
pub(crate) const TYPE_WORDS: [&str; 7] = [
    "openai",
    "gemini",
    "google",
    "xai",
    "anthropic",
    "ollama",
    "scripted",
];

/// Words of `reasoning_effort`.
pub(crate) const EFFORT_WORDS: [&str; 7] = {
    let mut words = [""; 7];
    let mut at = 0;
    while at < words.len() {
        words[at] = ReasoningEffort::ALL[at].as_str();
        at += 1;
    }
    words
};

/// The kind that a word of `type` names; `google` is the older documents' word for `gemini`.
pub(crate) fn kind_of(word: &str) -> Option<ProviderKind> {
    match word {
        "openai" => Some(ProviderKind::OpenAi),
        "gemini" | "google" => Some(ProviderKind::Gemini),
        "xai" => Some(ProviderKind::Xai),
        "anthropic" => Some(ProviderKind::Anthropic),
        "ollama" => Some(ProviderKind::Ollama),
        "scripted" => Some(ProviderKind::Scripted),
        _ => None,
    }
}

/// The environment variable of the key when the entry names none.
const fn default_key_variable(kind: ProviderKind) -> Option<&'static str> {
    match kind {
        ProviderKind::OpenAi => Some("OPENAI_API_KEY"),
        ProviderKind::Gemini => Some("GEMINI_API_KEY"),
        ProviderKind::Xai => Some("XAI_API_KEY"),
        ProviderKind::Anthropic => Some("ANTHROPIC_API_KEY"),
        ProviderKind::Ollama | ProviderKind::Scripted => None,
    }
}

/// How the provider's certificate is checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TlsConfig {
    /// Default true. Off only for a gateway of your own.
    pub verify: bool,
    /// PEM file with further certificate authorities.
    pub ca_file: Option<PathBuf>,
}

impl Default for TlsConfig {
    fn default() -> Self {
        Self {
            verify: true,
            ca_file: None,
        }
    }
}

/// One entry of `llm_providers`, or a built-in one.
#[derive(Clone, Debug, Serialize)]
pub struct ProviderConfig {
    /// Name by which stages, agents and chains ask for it.
    pub name: String,
    /// The wire format.
    pub kind: ProviderKind,
    /// Model name as sent.
    pub model: String,
    /// Environment variable with the key; `None`: no key is sent.
    pub api_key_env: Option<String>,
    /// The key, if the variable is set.
    pub api_key: Option<Secret>,
    /// Instead of the provider's own endpoint.
    pub base_url: Option<Resolved>,
    /// Sampling temperature; `None`: the model's own.
    pub temperature: Option<f64>,
    /// Longest answer in tokens; `None`: the model's own.
    pub max_tokens: Option<u32>,
    /// How much the model is to think; `None`: the model's own.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether Gemini is asked for its thoughts. Default: yes.
    pub thinking: bool,
    /// Headers of every request, e.g. for a gateway.
    pub headers: BTreeMap<String, Resolved>,
    /// Longest silence within a streamed answer; `None`: the longest call.
    pub stall_timeout: Option<Duration>,
    /// Longest call; `None`: the agent's `llm_call_timeout` alone.
    pub timeout: Option<Duration>,
    /// Certificate checks.
    pub tls: TlsConfig,
    /// Tokens that fit the model's window, answer included; `None`: unknown, not enforced.
    pub context_window: Option<u32>,
    /// Price of its tokens; else the top-level `prices` entry of its model.
    pub price: Option<Price>,
    /// Providers to call, in order, when this one fails.
    pub fallbacks: Vec<String>,
    /// The script that a `scripted` provider plays.
    pub script: Option<PathBuf>,
    /// Whether it can be called: it has its key, or needs none.
    pub available: bool,
}

impl ProviderConfig {
    /// A provider with nothing but a model.
    pub(crate) fn plain(name: &str, kind: ProviderKind, model: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            model: model.to_owned(),
            api_key_env: default_key_variable(kind).map(str::to_owned),
            api_key: None,
            base_url: None,
            temperature: None,
            max_tokens: None,
            reasoning_effort: None,
            thinking: true,
            headers: BTreeMap::new(),
            stall_timeout: None,
            timeout: None,
            tls: TlsConfig::default(),
            context_window: None,
            price: None,
            fallbacks: Vec::new(),
            script: None,
            available: false,
        }
    }

    /// Read the entry `name`. An entry of a built-in's name changes what it says and keeps
    /// the rest.
    pub(crate) fn read(name: &str, fields: &Fields<'_>, built_in: Option<&Self>) -> Option<Self> {
        fields
            .context()
            .references
            .define(Kind::Provider, name, fields.key_at());
        let type_named = fields.choice("type", &TYPE_WORDS);
        let kind = match (type_named, fields.has("type")) {
            (Some(word), _) => kind_of(word),
            (None, true) => None,
            (None, false) => kind_of(name),
        };
        let model = fields.string("model");
        let api_key_env = fields.environment_name("api_key_env");
        let base_url = fields.url("base_url", &["http", "https"]);
        let temperature = fields.number("temperature", 0.0..=2.0);
        let max_tokens = fields.integer("max_tokens", 1..=10_000_000);
        let effort = fields.choice("reasoning_effort", &EFFORT_WORDS);
        let efforts = ReasoningEffort::ALL.into_iter();
        let effort = effort.and_then(|word| efforts.clone().find(|effort| effort.as_str() == word));
        let thinking = fields.bool("thinking");
        let headers = fields.texts_by_key("headers").into_iter();
        let headers = headers.map(|(name, value)| (name.text.clone(), value.resolved.secret()));
        let headers: BTreeMap<String, Resolved> = headers.collect();
        let stall_timeout = fields.duration("stall_timeout");
        let timeout = fields.duration("timeout");
        let tls = fields.section("tls").map(|section| read_tls(&section));
        let context_window = fields.integer("context_window", 1_000..=100_000_000);
        let price = fields
            .section("price")
            .and_then(|section| Price::read(&section));
        let fallbacks = fields.texts("fallbacks").unwrap_or_default();
        let script = fields.string("script").map(PathBuf::from);
        fields.finish();

        if kind.is_none() && type_named.is_none() && !fields.has("type") {
            fields.problem_here(
                "`type` is missing".to_owned(),
                "one of openai, gemini, xai, anthropic, ollama, scripted",
            );
        }
        let kind = kind?;
        for fallback in &fallbacks {
            fields.mention(Kind::Provider, fallback);
            if fallback.value() == name {
                fields.problem(
                    "fallbacks",
                    format!("`{name}` falls back to itself"),
                    "name other providers",
                );
            }
        }
        if script.is_none() && kind == ProviderKind::Scripted {
            fields.problem_here(
                "`script` is missing".to_owned(),
                "set it to the YAML script of the model",
            );
        }
        let base = built_in.filter(|built_in| built_in.kind == kind).cloned();
        if model.is_none() && base.is_none() && kind != ProviderKind::Scripted {
            fields.problem_here(
                "`model` is missing".to_owned(),
                "set it to the provider's name of the model",
            );
            return None;
        }
        let base = base.unwrap_or_else(|| Self::plain(name, kind, "scripted"));
        Some(Self {
            model: model.unwrap_or(base.model),
            api_key_env: api_key_env.or(base.api_key_env),
            base_url: base_url.map(|text| text.resolved).or(base.base_url),
            temperature: temperature.or(base.temperature),
            max_tokens: max_tokens.or(base.max_tokens),
            reasoning_effort: effort.or(base.reasoning_effort),
            thinking: thinking.unwrap_or(base.thinking),
            headers: match headers.is_empty() {
                true => base.headers,
                false => headers,
            },
            stall_timeout: stall_timeout.or(base.stall_timeout),
            timeout: timeout.or(base.timeout),
            tls: tls.unwrap_or(base.tls),
            context_window: context_window.or(base.context_window),
            price: price.or(base.price),
            fallbacks: fallbacks
                .iter()
                .map(|text| text.value().to_owned())
                .collect(),
            script,
            ..base
        })
    }

    /// Reads the key from the environment and checks whether the provider is available.
    #[must_use]
    pub(crate) fn with_key(mut self, env: &crate::settings::Environment) -> Self {
        self.api_key = self
            .api_key_env
            .as_deref()
            .and_then(|name| env.value(name))
            .map(Secret::new);
        self.available = match self.kind {
            ProviderKind::Scripted => self.script.is_some(),
            ProviderKind::Ollama => self.base_url.is_some(),
            _ => self.api_key.is_some(),
        };
        self
    }
}

fn read_tls(fields: &Fields<'_>) -> TlsConfig {
    let tls = TlsConfig {
        verify: fields.bool("verify").unwrap_or(true),
        ca_file: fields.string("ca_file").map(PathBuf::from),
    };
    fields.finish();
    tls
}
