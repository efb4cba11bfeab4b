//! Settings of a provider.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::{CloudPlace, Price, ProviderKind, ReasoningEffort, ReplyFormat, Secret};

/// One configured provider: a model, its location and its key.
#[derive(Clone, Debug)]
pub struct ProviderSettings {
    /// Name in the configuration and in records, e.g. `gemini`.
    pub name: String,
    /// Kind of provider, which determines the wire format.
    pub kind: ProviderKind,
    /// Model name as the provider knows it, e.g. `gemini-2.5-flash`; sent as written. Unused by
    /// `scripted`, whose model is named after its script.
    pub model: String,
    /// API key. May be unset for Ollama, with a custom base URL, and if `cloud` has credentials.
    pub api_key: Secret,
    /// Base URL of the service, with or without a trailing slash. Default: the public service of the kind. Required for
    /// Azure, where it is the URL of the resource.
    pub base_url: Option<String>,
    /// Location of the model in the cloud, for Azure, Bedrock and Vertex.
    pub cloud: CloudPlace,
    /// Sampling temperature if a request sets none; default: the provider's.
    pub temperature: Option<f64>,
    /// Longest answer in tokens if a request sets none; default: the provider's.
    pub max_tokens: Option<u32>,
    /// How much the model thinks; default: the provider's.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Format in which the model is asked to reply in an investigation. Default: the strategy decides.
    pub reply_format: ReplyFormat,
    /// Longest time one call may take, including connecting. Default 210 s.
    pub timeout: Duration,
    /// Longest silence within a streamed answer. Also applies before its first part, unless `first_token_timeout` is
    /// set. Default: only `timeout` applies.
    pub stall_timeout: Option<Duration>,
    /// Longest time before the first part of a streamed answer. Default: `stall_timeout`.
    pub first_token_timeout: Option<Duration>,
    /// Longest time connecting may take. Default 10 s.
    pub connect_timeout: Duration,
    /// Certificates to trust.
    pub tls: TlsSettings,
    /// Context window: tokens of prompt and answer together; `None`: unknown.
    pub context_window: Option<u32>,
    /// Price of tokens; `None`: unknown, so costs are incomplete.
    pub price: Option<Price>,
    /// Headers added to each call, e.g. for a gateway. Values are treated as secrets.
    pub extra_headers: Vec<(String, Secret)>,
    /// Asks Gemini and OpenAI's Responses API for the model's thoughts, so that they are recorded. Default on. A model
    /// that refuses is not asked for them again.
    pub capture_thinking: bool,
    /// Script that a provider of kind `scripted` plays.
    pub script: Option<ScriptSource>,
}

/// Certificates that are trusted when calling a provider.
#[derive(Clone, Debug, Default)]
pub struct TlsSettings {
    /// Accepts any certificate. Default off, because anyone between tarsy and the provider could then read the key.
    pub accept_invalid_certificates: bool,
    /// More root certificates in PEM, added to the system's, e.g. of a company's proxy.
    pub extra_roots_pem: Option<String>,
}

/// Location of a script.
#[derive(Clone, Debug)]
pub enum ScriptSource {
    /// A YAML file; the model is named `scripted:<file name>`.
    File(PathBuf),
    /// A script compiled into the program.
    Embedded {
        /// Name of the script. The model is named `scripted:<name>`.
        name: &'static str,
        /// Text of the script in YAML.
        yaml: &'static str,
    },
}

/// Reason why the settings of a provider are invalid.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSettings {
    /// The base URL is not an http(s) URL without credentials, query and fragment.
    #[error(
        "provider `{provider}`: the base URL must be http(s), without credentials, query and fragment"
    )]
    BaseUrl { provider: String },
    /// A header's name or value is invalid.
    #[error("provider `{provider}`: invalid extra header `{header}`")]
    Header { provider: String, header: String },
    /// The model's name is not set.
    #[error("provider `{provider}`: no model is set")]
    NoModel { provider: String },
    /// The credentials of a cloud can't be used.
    #[error("provider `{provider}`: {why}")]
    Credentials {
        provider: String,
        /// Problem with the credentials. Does not contain the credentials themselves.
        why: String,
    },
    /// The extra root certificates are not PEM, or the TLS client cannot be built.
    #[error("provider `{provider}`: failed to build the HTTP client; check the TLS settings")]
    Client {
        provider: String,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// `scripted` without a script, or with one that does not load.
    #[error("provider `{provider}`: failed to load the script")]
    Script {
        provider: String,
        #[source]
        source: crate::ScriptError,
    },
    /// Two providers have the same name.
    #[error("duplicate provider `{provider}`")]
    Duplicate { provider: String },
}

impl ProviderSettings {
    /// Creates a provider with all defaults.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: ProviderKind, model: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind,
            model: model.into(),
            api_key: Secret::default(),
            base_url: None,
            cloud: CloudPlace::default(),
            temperature: None,
            max_tokens: None,
            reasoning_effort: None,
            reply_format: ReplyFormat::Auto,
            timeout: Duration::from_secs(210),
            stall_timeout: None,
            first_token_timeout: None,
            connect_timeout: Duration::from_secs(10),
            tls: TlsSettings::default(),
            context_window: None,
            price: None,
            extra_headers: Vec::new(),
            capture_thinking: true,
            script: None,
        }
    }

    /// Whether a call could be made: the location of the model is known, and there is a key or credentials. Ollama and
    /// custom base URLs need no key; `scripted` needs only a script. Makes no network call.
    #[must_use]
    pub fn is_configured(&self) -> bool {
        let has_key = !self.api_key.is_blank();
        let has_credentials = has_key || self.cloud.credentials.is_some();
        match self.kind {
            ProviderKind::Scripted => self.script.is_some(),
            ProviderKind::Ollama => true,
            ProviderKind::AzureOpenAi => has_key && self.base_url.is_some(),
            // A signature contains the region, wherever the service is.
            ProviderKind::Bedrock if self.cloud.region.is_some() => has_credentials,
            ProviderKind::Bedrock => has_key && self.base_url.is_some(),
            ProviderKind::Vertex => has_credentials && self.cloud.project.is_some(),
            _ => has_key || self.base_url.is_some(),
        }
    }

    /// Returns the URL that calls go to, always with a trailing slash.
    ///
    /// # Errors
    ///
    /// [`InvalidSettings::BaseUrl`] if the base URL is invalid.
    pub(crate) fn endpoint(&self) -> Result<String, InvalidSettings> {
        let refused = || InvalidSettings::BaseUrl {
            provider: self.name.clone(),
        };
        let public = self.public_url();
        let text = self.base_url.as_deref().unwrap_or(&public);
        let url = Url::parse(text.trim()).map_err(|_| refused())?;
        let plain = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !plain {
            return Err(refused());
        }
        let mut base = url.as_str().trim_end_matches('/');
        if self.kind == ProviderKind::Ollama {
            // Users copy Ollama's OpenAI-compatible URL, which ends in /v1. Its own API has no /v1.
            base = base.strip_suffix("/v1").unwrap_or(base);
        }
        let path = self.path_of_model().map_err(|()| refused())?;
        Ok(format!("{base}/{path}"))
    }

    /// Returns the base URL to use if none is set.
    fn public_url(&self) -> String {
        let region = self.cloud.region.as_deref();
        match self.kind {
            ProviderKind::Bedrock => {
                let region = region.unwrap_or("unset");
                format!("https://bedrock-runtime.{region}.amazonaws.com")
            }
            ProviderKind::Vertex => match region.unwrap_or(GLOBAL) {
                GLOBAL => "https://aiplatform.googleapis.com/v1".to_owned(),
                region => format!("https://{region}-aiplatform.googleapis.com/v1"),
            },
            // A provider that is not configured is built but never called.
            kind => kind
                .public_url()
                .unwrap_or("https://unset.invalid")
                .to_owned(),
        }
    }

    /// Returns the path between the base URL and the paths of the dialect: empty, or with a trailing slash.
    fn path_of_model(&self) -> Result<String, ()> {
        let mut url = Url::parse("http://unset.invalid").map_err(|_| ())?;
        {
            let mut path = url.path_segments_mut()?;
            match self.kind {
                // The newer API has no deployments in its paths; it takes the name as the model.
                ProviderKind::AzureOpenAi if !self.is_azure_v1() => {
                    let deployment = self.cloud.deployment.as_deref();
                    let deployment = deployment.unwrap_or(self.model.trim());
                    path.extend(["openai", "deployments", deployment, ""]);
                }
                ProviderKind::Vertex => {
                    let project = self.cloud.project.as_deref().unwrap_or("unset");
                    let region = self.cloud.region.as_deref().unwrap_or(GLOBAL);
                    path.extend(["projects", project, "locations", region, "publishers"]);
                    match self.kind.dialect(&self.model) {
                        ProviderKind::Anthropic => path.extend(["anthropic", "models", ""]),
                        _ => path.extend(["google", ""]),
                    };
                }
                _ => return Ok(String::new()),
            }
        }
        Ok(url.path().trim_start_matches('/').to_owned())
    }

    /// Whether the base URL is that of Azure's API without versions, `https://{resource}/openai/v1`.
    pub(crate) fn is_azure_v1(&self) -> bool {
        let base = self.base_url.as_deref().unwrap_or_default();
        self.kind == ProviderKind::AzureOpenAi && base.trim_end_matches('/').ends_with("/openai/v1")
    }
}

/// Vertex's region for models that may run anywhere.
const GLOBAL: &str = "global";

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(kind: ProviderKind, base_url: &str) -> Option<String> {
        let mut settings = ProviderSettings::new("p", kind, "m");
        settings.base_url = Some(base_url.into());
        settings.endpoint().ok()
    }

    #[test]
    fn base_urls_end_in_one_slash() {
        for url in ["https://gw/v1", "https://gw/v1/", " https://gw/v1// "] {
            assert_eq!(
                endpoint(ProviderKind::OpenAi, url).as_deref(),
                Some("https://gw/v1/")
            );
        }
        assert_eq!(
            endpoint(ProviderKind::Ollama, "http://gpu:11434/v1").as_deref(),
            Some("http://gpu:11434/")
        );
    }

    #[test]
    fn models_in_clouds_have_their_place_in_the_url() {
        let of = |kind, model: &str, base_url: Option<&str>| {
            let mut settings = ProviderSettings::new("p", kind, model);
            settings.base_url = base_url.map(str::to_owned);
            settings.cloud.project = Some("p-1".into());
            settings.endpoint().unwrap()
        };
        let azure = Some("https://r.openai.azure.com/");
        assert_eq!(
            of(ProviderKind::AzureOpenAi, "a b/c", azure),
            "https://r.openai.azure.com/openai/deployments/a%20b%2Fc/"
        );
        let v1 = Some("https://r.openai.azure.com/openai/v1/");
        assert_eq!(
            of(ProviderKind::AzureOpenAi, "m", v1),
            "https://r.openai.azure.com/openai/v1/"
        );
        assert_eq!(
            of(ProviderKind::Vertex, "gemini-2.5-pro", None),
            "https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/publishers/google/"
        );
        let mut settings = ProviderSettings::new("p", ProviderKind::Vertex, "claude-opus-4-1");
        settings.cloud.region = Some("europe-west1".into());
        settings.cloud.project = Some("p-1".into());
        assert_eq!(
            settings.endpoint().unwrap(),
            "https://europe-west1-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west1/publishers/anthropic/models/"
        );
        let mut settings = ProviderSettings::new("p", ProviderKind::Bedrock, "m");
        settings.cloud.region = Some("eu-central-1".into());
        assert_eq!(
            settings.endpoint().unwrap(),
            "https://bedrock-runtime.eu-central-1.amazonaws.com/"
        );
    }

    #[test]
    fn base_urls_that_would_leak_or_break_are_refused() {
        for url in [
            "ftp://gw/",
            "https://me:key@gw/",
            "https://gw/?key=1",
            "https://gw/#a",
            "gw",
        ] {
            assert_eq!(endpoint(ProviderKind::Gemini, url), None, "{url}");
        }
    }

    #[test]
    fn configured_means_a_key_or_an_own_place() {
        let mut settings = ProviderSettings::new("p", ProviderKind::OpenAi, "m");
        assert!(!settings.is_configured());
        settings.api_key = Secret::new(" \n");
        assert!(!settings.is_configured());
        settings.api_key = Secret::new("sk-1");
        assert!(settings.is_configured());
        assert!(ProviderSettings::new("o", ProviderKind::Ollama, "m").is_configured());
        assert!(!ProviderSettings::new("s", ProviderKind::Scripted, "").is_configured());
    }
}
