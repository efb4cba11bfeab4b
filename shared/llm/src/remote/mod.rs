//! Models behind HTTP, through `genai`.
//!
//! `genai` shapes requests and parses answers; the HTTP client, timeouts and error classes are
//! ours. It reads a body whole before anyone sees it, so what bounds a hostile body is the
//! call's timeout; an answer above [`reply::MAX_REPLY_BYTES`] is then refused. Bodies are not
//! decompressed, so that a small one cannot grow.

mod client;
mod failure;
mod http_error;
mod reply;
mod request;
mod retry_after;

use std::time::Duration;

use async_trait::async_trait;
use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use tokio::time::Instant;

use crate::redact::bounded_line;
use crate::{
    CallError, ChatModel, ChatReply, ChatRequest, ErrorClass, InvalidSettings, Price, ProviderKind,
    ProviderSettings, Secret,
};

/// One model at one provider.
#[derive(Debug)]
pub(crate) struct RemoteModel {
    settings: ProviderSettings,
    client: Client,
    target: ServiceTarget,
}

impl RemoteModel {
    /// Prepare the client; makes no network call.
    pub(crate) fn build(settings: ProviderSettings) -> Result<Self, InvalidSettings> {
        if settings.model.trim().is_empty() {
            return Err(InvalidSettings::NoModel {
                provider: settings.name,
            });
        }
        let adapter = match settings.kind {
            ProviderKind::Gemini => AdapterKind::Gemini,
            ProviderKind::Xai => AdapterKind::Xai,
            ProviderKind::Anthropic => AdapterKind::Anthropic,
            ProviderKind::Ollama => AdapterKind::Ollama,
            ProviderKind::OpenAi | ProviderKind::Scripted => AdapterKind::OpenAI,
        };
        let endpoint = settings.endpoint()?;
        let http = client::build(&settings, &endpoint)?;
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(endpoint),
            // An own endpoint may need no key; the header is then sent with a placeholder.
            auth: AuthData::from_single(if settings.api_key.is_empty() {
                "none"
            } else {
                settings.api_key.expose()
            }),
            model: ModelIden::new(adapter, settings.model.trim().to_owned()),
        };
        let client = Client::builder()
            .with_reqwest(http)
            .build()
            .map_err(|source| InvalidSettings::Client {
                provider: settings.name.clone(),
                source: Box::new(source),
            })?;
        Ok(Self {
            settings,
            client,
            target,
        })
    }

    /// Time this call may take.
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
        error.message = bounded_line(&error.message, &secrets);
        error
    }
}

#[async_trait]
impl ChatModel for RemoteModel {
    #[tracing::instrument(
        name = "llm_call",
        skip_all,
        fields(llm.provider = %self.settings.name, llm.model = %self.settings.model, llm.request_id = %request.request_id)
    )]
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, CallError> {
        if !self.is_configured() {
            return Err(CallError::new(
                ErrorClass::NotConfigured,
                format!("provider `{}` has no API key", self.settings.name),
            ));
        }
        let kind = self.settings.kind;
        let options = request::options(&self.settings, request);
        let call = self.client.exec_chat(
            self.target.clone(),
            request::conversation(kind, request),
            Some(&options),
        );
        let limit = self.time_left(request);
        let outcome = match tokio::time::timeout(limit, Box::pin(call)).await {
            Ok(Ok(response)) => reply::from_response(kind, response),
            Ok(Err(error)) => Err(failure::from_genai(error)),
            Err(_) => Err(CallError::new(
                ErrorClass::Timeout,
                format!("no answer within {:.1} s", limit.as_secs_f64()),
            )),
        };
        outcome.map_err(|error| self.redacted(error))
    }

    fn provider(&self) -> &str {
        &self.settings.name
    }

    fn model_name(&self) -> &str {
        self.settings.model.trim()
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

    fn is_configured(&self) -> bool {
        self.settings.is_configured()
    }
}
