//! Tests every provider against its wire format, and the handling of failures.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod caching;
mod clouds;
mod compat;
mod conversations;
mod failures;
mod fake;
mod fallbacks;
mod forms;
mod memory;
mod odd_answers;
mod providers;
mod quirks;
mod refusals;
mod scripted;
mod streaming;
mod tls;

use std::sync::Arc;

use tarsy_llm::{
    ChatMessage, ChatModel, ChatRequest, ProviderKind, ProviderSettings, Providers, Secret,
};
use tarsy_testing::fake_llm::{FakeLlm, WireFormat};

/// A key that must never appear in any output.
const KEY: &str = "sk-canary-0123456789";

/// Every provider with its wire format.
const PROVIDERS: [(ProviderKind, WireFormat); 9] = [
    (ProviderKind::OpenAi, WireFormat::OpenAi),
    (ProviderKind::Xai, WireFormat::Xai),
    (ProviderKind::Anthropic, WireFormat::Anthropic),
    (ProviderKind::Gemini, WireFormat::Gemini),
    (ProviderKind::Ollama, WireFormat::Ollama),
    (ProviderKind::OpenAiResponses, WireFormat::Responses),
    (ProviderKind::Bedrock, WireFormat::Bedrock),
    (ProviderKind::AzureOpenAi, WireFormat::Azure),
    (ProviderKind::Vertex, WireFormat::VertexGemini),
];

fn settings(kind: ProviderKind, base_url: impl Into<String>) -> ProviderSettings {
    let mut settings = ProviderSettings::new(kind.as_str(), kind, "model-1");
    settings.api_key = Secret::new(KEY);
    settings.base_url = Some(base_url.into());
    settings.cloud.project = Some("p-1".into());
    settings
}

fn build(settings: ProviderSettings) -> Arc<dyn ChatModel> {
    let name = settings.name.clone();
    Providers::build([settings]).unwrap().get(&name).unwrap()
}

fn model(fake: &FakeLlm, kind: ProviderKind, format: WireFormat) -> Arc<dyn ChatModel> {
    build(settings(kind, fake.base_url(format)))
}

fn question(text: &str) -> ChatRequest {
    ChatRequest {
        messages: vec![
            ChatMessage::system("You investigate."),
            ChatMessage::user(text),
        ],
        request_id: "req-1".into(),
        ..ChatRequest::default()
    }
}
