//! Models that are called over HTTP, through `genai`.
//!
//! `genai` builds requests and parses answers. This module has its own HTTP client, timeouts and error classes. A
//! [`loopback_proxy`] limits the size of responses. Bodies are never decompressed, so a small body can't expand. If an
//! answer is observed, the proxy requests a stream and assembles it ([`streamed`]).

mod authorization;
mod body_limit;
mod client;
mod cloud_form;
mod compat;
mod failure;
mod google_token;
mod http_error;
mod loopback_proxy;
mod reply;
mod request;
mod retry_after;
mod sigv4;
mod streamed;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};
use tokio::time::Instant;
use tracing::Span;
use tracing::field::Empty;
use url::Url;

use self::compat::ModelName;
use self::loopback_proxy::Upstream;
use self::streamed::Patience;
use crate::redact::bounded_line;
use crate::{
    CallError, ChatModel, ChatReply, ChatRequest, CloudCredentials, ErrorClass, InvalidSettings,
    Price, ProviderKind, ProviderSettings, ReplyFormat, Secret,
};

/// One model at one provider.
#[derive(Debug)]
pub(crate) struct RemoteModel {
    settings: ProviderSettings,
    model: ModelName,
    /// Kind of provider whose message format the model uses.
    dialect: ProviderKind,
    adapter: AdapterKind,
    upstream: Upstream,
    /// Whether the model has refused to return its thoughts.
    hides_thoughts: AtomicBool,
    /// Whether the model has refused stop sequences.
    refuses_stops: AtomicBool,
}

impl RemoteModel {
    /// Prepares the client. Makes no network call.
    pub(crate) fn build(settings: ProviderSettings) -> Result<Self, InvalidSettings> {
        if settings.model.trim().is_empty() {
            return Err(InvalidSettings::NoModel {
                provider: settings.name,
            });
        }
        let dialect = settings.kind.dialect(&settings.model);
        let adapter = match dialect {
            ProviderKind::Gemini | ProviderKind::Vertex => AdapterKind::Gemini,
            ProviderKind::Xai => AdapterKind::Xai,
            ProviderKind::Anthropic => AdapterKind::Anthropic,
            ProviderKind::Bedrock => AdapterKind::BedrockApi,
            ProviderKind::Ollama => AdapterKind::Ollama,
            ProviderKind::OpenAiResponses => AdapterKind::OpenAIResp,
            ProviderKind::OpenAi | ProviderKind::AzureOpenAi | ProviderKind::Scripted => {
                AdapterKind::OpenAI
            }
        };
        let endpoint = settings.endpoint()?;
        let http = client::build(&settings, &endpoint)?;
        let base = Url::parse(&endpoint).map_err(|_| InvalidSettings::BaseUrl {
            provider: settings.name.clone(),
        })?;
        let upstream = Upstream::new(http, base, &settings)?;
        Ok(Self {
            model: ModelName::new(&settings.model),
            settings,
            dialect,
            adapter,
            upstream,
            hides_thoughts: AtomicBool::new(false),
            refuses_stops: AtomicBool::new(false),
        })
    }

    /// Calls the model. If it refuses stop sequences, calls it again without them and omits them from then on.
    async fn call(&self, request: &ChatRequest) -> Result<ChatReply, CallError> {
        if request.stop_sequences.is_empty() {
            return self.call_with_thoughts(request).await;
        }
        let without = || ChatRequest {
            stop_sequences: Vec::new(),
            ..request.clone()
        };
        // OpenAI's Responses API has no stop sequences.
        let knows_stops = self.dialect != ProviderKind::OpenAiResponses
            && !self.refuses_stops.load(Ordering::Relaxed);
        if !knows_stops {
            return self.call_with_thoughts(&without()).await;
        }
        match self.call_with_thoughts(request).await {
            Err(error) if refuses_stops(&error) => {
                self.refuses_stops.store(true, Ordering::Relaxed);
                tarsy_metrics::repairs::llm(&self.settings.name, "stops_refused");
                tracing::info!(
                    llm.provider = self.settings.name,
                    "the model takes no stop sequences; it is asked without from now on"
                );
                self.call_with_thoughts(&without()).await
            }
            answered => answered,
        }
    }

    /// Calls the model. If it refuses to return its thoughts, calls it again without them and omits them from then on.
    async fn call_with_thoughts(&self, request: &ChatRequest) -> Result<ChatReply, CallError> {
        let wants_thoughts = request.thinking.unwrap_or(self.settings.capture_thinking)
            && !self.hides_thoughts.load(Ordering::Relaxed);
        match self.ask(request, wants_thoughts).await {
            Err(error) if wants_thoughts && refuses_thoughts(self.dialect, &error) => {
                self.hides_thoughts.store(true, Ordering::Relaxed);
                tarsy_metrics::repairs::llm(&self.settings.name, "thoughts_refused");
                tracing::info!(
                    llm.provider = self.settings.name,
                    "the model shows no thoughts; it is not asked for them again"
                );
                self.ask(request, false).await
            }
            answered => answered,
        }
    }

    async fn ask(&self, request: &ChatRequest, thoughts: bool) -> Result<ChatReply, CallError> {
        let kind = self.dialect;
        let patience = Patience {
            first_token: self.settings.first_token_timeout,
            stall: self.settings.stall_timeout,
        };
        let mut proxy = self
            .upstream
            .open_proxy(kind, &self.model, request.stream.clone(), patience)
            .await?;
        if kind == ProviderKind::Ollama {
            proxy.set_format(request.response_schema.clone());
        }
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(proxy.base_url().to_owned()),
            auth: AuthData::from_single(self.upstream.session_token()),
            model: ModelIden::new(self.adapter, self.model.for_genai().to_owned()),
        };
        let options = request::options(&self.settings, kind, request, thoughts);
        let call = self.upstream.genai().exec_chat(
            target,
            request::conversation(kind, request),
            Some(&options),
        );
        match proxy.serve(Box::pin(call)).await? {
            Ok(response) => {
                let mut reply = reply::from_response(kind, &self.settings.name, request, response)?;
                reply.model_name = self.model.spelled(&reply.model_name);
                Ok(reply)
            }
            Err(error) => Err(failure::from_genai(error)),
        }
    }

    /// Returns the time that this call may take.
    fn time_left(&self, request: &ChatRequest) -> Duration {
        request.deadline.map_or(self.settings.timeout, |deadline| {
            self.settings
                .timeout
                .min(deadline.saturating_duration_since(Instant::now()))
        })
    }

    fn redacted(&self, mut error: CallError) -> CallError {
        let mut secrets: Vec<&Secret> = vec![&self.settings.api_key];
        secrets.extend(self.settings.extra_headers.iter().map(|(_, value)| value));
        if let Some(CloudCredentials::Aws {
            secret_access_key,
            session_token,
            ..
        }) = &self.settings.cloud.credentials
        {
            secrets.push(secret_access_key);
            secrets.extend(session_token);
        }
        error.message = bounded_line(&error.message, &secrets);
        error
    }
}

#[async_trait]
impl ChatModel for RemoteModel {
    #[tracing::instrument(
        name = "chat",
        skip_all,
        fields(
            otel.name = %format_args!("chat {}", self.settings.model), otel.kind = "client", otel.status_code = Empty,
            gen_ai.operation.name = "chat", gen_ai.provider.name = provider_name(self.settings.kind),
            gen_ai.request.model = %self.settings.model, gen_ai.response.model = Empty,
            gen_ai.usage.input_tokens = Empty, gen_ai.usage.output_tokens = Empty, error.type = Empty,
            llm.provider = %self.settings.name, llm.request_id = %request.request_id
        )
    )]
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, CallError> {
        if !self.is_configured() {
            return Err(CallError::new(
                ErrorClass::NotConfigured,
                format!("provider `{}` has no API key", self.settings.name),
            ));
        }
        let limit = self.time_left(request);
        let outcome = tokio::time::timeout(limit, Box::pin(self.call(request)))
            .await
            .unwrap_or_else(|_| {
                Err(CallError::new(
                    ErrorClass::Timeout,
                    format!("no answer within {:.1} s", limit.as_secs_f64()),
                ))
            });
        trace(&outcome);
        outcome.map_err(|error| self.redacted(error))
    }

    fn provider(&self) -> &str {
        &self.settings.name
    }

    fn model_name(&self) -> &str {
        self.model.written()
    }

    fn context_window(&self) -> Option<u32> {
        self.settings.context_window
    }

    fn price(&self) -> Option<Price> {
        self.settings.price
    }

    fn temperature(&self) -> Option<f64> {
        self.settings.temperature
    }

    fn reply_format(&self) -> ReplyFormat {
        self.settings.reply_format
    }

    fn enforces_schemas(&self) -> bool {
        match self.dialect {
            ProviderKind::OpenAi
            | ProviderKind::OpenAiResponses
            | ProviderKind::AzureOpenAi
            | ProviderKind::Xai
            | ProviderKind::Gemini
            | ProviderKind::Vertex
            | ProviderKind::Ollama => true,
            ProviderKind::Anthropic | ProviderKind::Bedrock | ProviderKind::Scripted => false,
        }
    }

    fn is_configured(&self) -> bool {
        self.settings.is_configured()
    }
}

/// Whether an error is about `stop`, which reasoning models refuse.
fn refuses_stops(error: &CallError) -> bool {
    error.class == ErrorClass::InvalidRequest && error.message.to_lowercase().contains("stop")
}

/// Whether an error is about Gemini's `thinkingConfig` or OpenAI's `reasoning.summary`, which some models or accounts refuse.
fn refuses_thoughts(kind: ProviderKind, error: &CallError) -> bool {
    let words = match kind {
        ProviderKind::Gemini => &["thinking"][..],
        ProviderKind::OpenAiResponses => &["reasoning", "encrypted content"],
        _ => return false,
    };
    let message = error.message.to_lowercase();
    error.class == ErrorClass::InvalidRequest && words.iter().any(|word| message.contains(word))
}

/// Records the outcome of a call on the current span, by OpenTelemetry's conventions for generative AI.
fn trace(outcome: &Result<ChatReply, CallError>) {
    let span = Span::current();
    match outcome {
        Ok(reply) => {
            span.record("gen_ai.response.model", reply.model_name.as_str());
            if let Some(usage) = &reply.usage {
                span.record("gen_ai.usage.input_tokens", usage.input_tokens);
                span.record("gen_ai.usage.output_tokens", usage.output_tokens);
            }
        }
        Err(error) => {
            span.record("otel.status_code", "ERROR");
            span.record("error.type", error.class.as_str());
        }
    }
}

/// Returns the provider's name in OpenTelemetry's conventions.
const fn provider_name(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Gemini => "gcp.gemini",
        ProviderKind::Vertex => "gcp.vertex_ai",
        ProviderKind::Xai => "x_ai",
        ProviderKind::Bedrock => "aws.bedrock",
        ProviderKind::AzureOpenAi => "azure.ai.openai",
        ProviderKind::OpenAiResponses => "openai",
        kind => kind.as_str(),
    }
}
