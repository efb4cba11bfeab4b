//! LLM providers: model, endpoint and key.

mod fields;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use tarsy_model::{
    CloudCredentials, CloudPlace, ProviderKind, ReasoningEffort, ReplyFormat, Secret,
};

use self::fields::TlsFields;
pub(crate) use self::fields::{ProviderFields, kind_of};
use crate::fields::Fields;
use crate::references::NameKind;
use crate::settings::Environment;
use crate::{Price, Resolved, model_options, server};

/// The keys of providers.
const KEYS: ProviderFields = ProviderFields::FIELDS;

/// How the provider's TLS certificate is checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TlsConfig {
    /// Whether the certificate is verified. Default true. Turn it off only for your own gateway.
    pub verify: bool,
    /// PEM file with additional certificate authorities.
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
    /// Name by which stages, agents and chains refer to it.
    pub name: String,
    /// Kind of the provider's API.
    pub kind: ProviderKind,
    /// Model name as sent.
    pub model: String,
    /// Environment variable with the key; `None`: no key is sent.
    pub api_key_env: Option<String>,
    /// The key, if its variable is set.
    pub api_key: Option<Secret>,
    /// Base URL in place of the provider's own endpoint. For Azure, that of the resource; it is required there.
    pub base_url: Option<Resolved>,
    /// For Azure, Bedrock and Vertex: location of the model in the cloud.
    #[serde(flatten)]
    pub cloud: CloudPlace,
    /// Sampling temperature; `None`: the model's default.
    pub temperature: Option<f64>,
    /// Longest answer in tokens; `None`: the model's default.
    pub max_tokens: Option<u32>,
    /// Reasoning effort of the model; `None`: the model's default.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether Gemini is asked to return its thoughts. Default: yes.
    pub thinking: bool,
    /// Format in which its model is asked to reply during an investigation. Default: depends on the strategy.
    pub reply_format: ReplyFormat,
    /// Headers of every request, e.g. for a gateway.
    pub headers: BTreeMap<String, Resolved>,
    /// Longest silence within a streamed answer; `None`: only the length of the call is limited.
    pub stall_timeout: Option<Duration>,
    /// Longest time before the first part of a streamed answer; `None`: `stall_timeout`.
    pub first_token_timeout: Option<Duration>,
    /// Longest call; `None`: only the agent's `llm_call_timeout` applies.
    pub timeout: Option<Duration>,
    /// Certificate checks.
    pub tls: TlsConfig,
    /// Tokens that fit the model's context window, including the answer; `None`: unknown, not enforced.
    pub context_window: Option<u32>,
    /// Price of its tokens. If `None`, the top-level `prices` entry of its model applies.
    pub price: Option<Price>,
    /// Providers to call, in order, if this one fails. Lists are expanded.
    pub fallbacks: Vec<String>,
    /// The script that a `scripted` provider plays.
    pub script: Option<PathBuf>,
    /// Whether it can be called: it has its key, or needs none.
    pub available: bool,
    /// Whether the configuration names no variable for its key.
    #[serde(skip)]
    pub(crate) names_no_key: bool,
    /// Whether its fallbacks were given by a list. Such a list may contain the provider itself, and other providers may
    /// share it.
    #[serde(skip)]
    pub(crate) names_lists: bool,
}

impl ProviderConfig {
    /// Creates a provider with only a model and defaults.
    pub(crate) fn plain(name: &str, kind: ProviderKind, model: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            model: model.to_owned(),
            api_key_env: kind.key_variable().map(str::to_owned),
            api_key: None,
            base_url: None,
            cloud: CloudPlace::default(),
            temperature: None,
            max_tokens: None,
            reasoning_effort: None,
            thinking: true,
            reply_format: ReplyFormat::Auto,
            headers: BTreeMap::new(),
            stall_timeout: None,
            first_token_timeout: None,
            timeout: None,
            tls: TlsConfig::default(),
            context_window: None,
            price: None,
            fallbacks: Vec::new(),
            script: None,
            available: false,
            names_no_key: true,
            names_lists: false,
        }
    }

    /// Reads the entry `name`. An entry with the name of a built-in provider changes the values that it sets and keeps
    /// the others.
    pub(crate) fn read(name: &str, fields: &Fields<'_>, built_in: Option<&Self>) -> Option<Self> {
        fields
            .context()
            .references
            .define(NameKind::Provider, name, fields.key_at());
        let kind = match fields.has(KEYS.r#type) {
            true => fields.get(KEYS.r#type),
            false => kind_of(name),
        };
        if kind.is_none() && !fields.has(KEYS.r#type) {
            fields.problem_here(
                "`type` is missing".to_owned(),
                &format!("one of {}", ProviderKind::WORDS.join(", ")),
            );
        }
        let model = fields.string(KEYS.model);
        let api_key_env = fields.get(KEYS.api_key_env);
        let base_url = fields.url(KEYS.base_url, &["http", "https"]);
        let temperature = fields.get(KEYS.temperature);
        let reasoning_effort = fields.get(KEYS.reasoning_effort);
        let thinking = fields.get(KEYS.thinking);
        let fallbacks = model_options::fallbacks(fields, KEYS.fallbacks);
        let reply_format = fields.get(KEYS.reply_format);
        let max_tokens = fields.get(KEYS.max_tokens);
        let cloud = read_cloud(fields);
        let headers = server::secrets(fields, KEYS.headers);
        let stall_timeout = fields.get(KEYS.stall_timeout);
        let first_token_timeout = fields.get(KEYS.first_token_timeout);
        let timeout = fields.get(KEYS.timeout);
        let tls = fields.get(KEYS.tls).map(|section| read_tls(&section));
        let context_window = fields.get(KEYS.context_window);
        let price = fields.get(KEYS.price);
        let price = price.and_then(|section| Price::read(&section));
        let script = fields.string(KEYS.script).map(PathBuf::from);

        let kind = kind?;
        let fallbacks = fallbacks.unwrap_or_default();
        if fallbacks.iter().any(|fallback| fallback == name) {
            fields.problem(
                KEYS.fallbacks,
                format!("`{name}` falls back to itself"),
                "name other providers",
            );
        }
        fields.refuse_keys_of_others("a provider", KEYS.r#type, kind.as_str(), &CLOUD_KEYS);
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
            names_no_key: api_key_env.is_none(),
            api_key_env: api_key_env.or(base.api_key_env),
            base_url: base_url.map(|text| text.resolved).or(base.base_url),
            temperature: temperature.or(base.temperature),
            max_tokens: max_tokens.or(base.max_tokens),
            reasoning_effort: reasoning_effort.or(base.reasoning_effort),
            thinking: thinking.unwrap_or(base.thinking),
            reply_format: reply_format.unwrap_or(base.reply_format),
            headers: match headers.is_empty() {
                true => base.headers,
                false => headers,
            },
            stall_timeout: stall_timeout.or(base.stall_timeout),
            first_token_timeout: first_token_timeout.or(base.first_token_timeout),
            cloud,
            timeout: timeout.or(base.timeout),
            tls: tls.unwrap_or(base.tls),
            context_window: context_window.or(base.context_window),
            price: price.or(base.price),
            fallbacks,
            script,
            ..base
        })
    }

    /// Reads the key and the cloud settings from the environment, and checks whether the provider is available.
    #[must_use]
    pub(crate) fn with_key(mut self, env: &Environment) -> Self {
        let secret = |name: &str| env.value(name).map(Secret::new);
        self.api_key = self.api_key_env.as_deref().and_then(secret);
        self.cloud = completed(self.cloud, self.kind, env);
        let has_key = self.api_key.is_some();
        let has_credentials = has_key || self.cloud.credentials.is_some();
        self.available = match self.kind {
            ProviderKind::Scripted => self.script.is_some(),
            ProviderKind::Ollama => self.base_url.is_some(),
            ProviderKind::AzureOpenAi => has_key && self.base_url.is_some(),
            ProviderKind::Bedrock if self.cloud.region.is_some() => has_credentials,
            ProviderKind::Bedrock => has_key && self.base_url.is_some(),
            ProviderKind::Vertex => has_credentials && self.cloud.project.is_some(),
            // The user's own server may need no key. A key that `api_key_env` names must be sent.
            ProviderKind::OpenAi | ProviderKind::OpenAiResponses => {
                has_key || self.names_no_key && self.base_url.is_some()
            }
            ProviderKind::Gemini | ProviderKind::Xai | ProviderKind::Anthropic => has_key,
        };
        self
    }

    /// Returns what to set so that it can be called.
    #[must_use]
    pub fn how_to_enable(&self) -> String {
        let key = self.api_key_env.as_deref().unwrap_or("its key");
        match self.kind {
            ProviderKind::AzureOpenAi if self.base_url.is_none() => {
                "set its `base_url` to that of the Azure resource".to_owned()
            }
            ProviderKind::Bedrock if self.cloud.region.is_none() => {
                "set its `region`, or AWS_REGION".to_owned()
            }
            ProviderKind::Bedrock => {
                format!("set {key}, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
            }
            ProviderKind::Vertex => "set its `project`, or GOOGLE_CLOUD_PROJECT".to_owned(),
            _ => match &self.api_key_env {
                Some(name) => format!("set {name}"),
                None => "set its `base_url`, or the variable in it".to_owned(),
            },
        }
    }
}

/// Keys of cloud settings, each with the provider kinds that accept it.
const CLOUD_KEYS: [(&str, &[&str]); 5] = [
    (KEYS.deployment.name(), &[AZURE]),
    (KEYS.api_version.name(), &[AZURE]),
    (KEYS.region.name(), &[BEDROCK, VERTEX]),
    (KEYS.project.name(), &[VERTEX]),
    (KEYS.credentials_file.name(), &[VERTEX]),
];
const AZURE: &str = ProviderKind::AzureOpenAi.as_str();
const BEDROCK: &str = ProviderKind::Bedrock.as_str();
const VERTEX: &str = ProviderKind::Vertex.as_str();

fn read_cloud(fields: &Fields<'_>) -> CloudPlace {
    let file = fields.string(KEYS.credentials_file).map(PathBuf::from);
    CloudPlace {
        deployment: fields.string(KEYS.deployment),
        api_version: fields.string(KEYS.api_version),
        region: fields.string(KEYS.region),
        project: fields.string(KEYS.project),
        credentials: file.map(CloudCredentials::GoogleKeyFile),
    }
}

/// Completes the cloud settings from the variables that the clouds' own programs read.
fn completed(place: CloudPlace, kind: ProviderKind, env: &Environment) -> CloudPlace {
    let value = |name: &str| env.value(name).map(str::to_owned);
    match kind {
        ProviderKind::Bedrock => CloudPlace {
            region: place
                .region
                .or_else(|| value("AWS_REGION"))
                .or_else(|| value("AWS_DEFAULT_REGION")),
            credentials: match (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY")) {
                (Some(access_key_id), Some(secret)) => Some(CloudCredentials::Aws {
                    access_key_id,
                    secret_access_key: Secret::new(secret),
                    session_token: value("AWS_SESSION_TOKEN").map(Secret::new),
                }),
                _ => None,
            },
            ..place
        },
        ProviderKind::Vertex => {
            let file = value("GOOGLE_APPLICATION_CREDENTIALS").map(PathBuf::from);
            let file = file.map(CloudCredentials::GoogleKeyFile);
            let metadata = || {
                let host = value("GCE_METADATA_HOST");
                let host = host.unwrap_or_else(|| "metadata.google.internal".to_owned());
                CloudCredentials::GoogleMetadata(host)
            };
            CloudPlace {
                project: place.project.or_else(|| value("GOOGLE_CLOUD_PROJECT")),
                credentials: place.credentials.or(file).or_else(|| Some(metadata())),
                ..place
            }
        }
        _ => place,
    }
}

fn read_tls(fields: &Fields<'_>) -> TlsConfig {
    let keys = TlsFields::FIELDS;
    TlsConfig {
        verify: fields.get(keys.verify).unwrap_or(true),
        ca_file: fields.string(keys.ca_file).map(PathBuf::from),
    }
}
