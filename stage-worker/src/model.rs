//! The agent's model port over the configured providers.

use async_trait::async_trait;
use serde_json::json;
use tarsy_agent::{Message, Model, ModelAnswer, ModelProfile, ModelRequest};
use tarsy_llm::{
    Answer, CallLabels, ChatMessage, ChatRequest, ModelWithFallbacks, NativeToolCall, NoAnswer,
    ToolSpec, Verdict,
};
use tarsy_model::LlmResult;
use tokio::time::Instant;

/// Tokens assumed for a model whose window is not configured.
const DEFAULT_WINDOW: usize = 128_000;
/// Answer tokens kept free when no limit is configured.
const DEFAULT_ANSWER: usize = 8_192;

/// The model of one stage: preferred provider, fallbacks, and where it stands in the chain.
pub struct StageModel {
    /// Preferred provider and its fallbacks.
    pub model: ModelWithFallbacks,
    /// Configured temperature, for the record.
    pub temperature: Option<f64>,
    /// Configured longest answer.
    pub max_tokens: Option<u32>,
    /// Stage, agent and strategy; never sent to a provider.
    pub labels: CallLabels,
}

#[async_trait]
impl Model for StageModel {
    fn profile(&self) -> ModelProfile {
        let preferred = self.model.preferred();
        let window = self.model.context_window().and_then(|w| usize::try_from(w).ok());
        let answer = self.max_tokens.and_then(|t| usize::try_from(t).ok());
        ModelProfile {
            provider: preferred.provider().to_owned(),
            model_name: preferred.model_name().to_owned(),
            temperature: self.temperature,
            context_window: window.unwrap_or(DEFAULT_WINDOW),
            max_output_tokens: answer.unwrap_or(DEFAULT_ANSWER),
        }
    }

    async fn ask(&self, request: ModelRequest) -> ModelAnswer {
        let request = ChatRequest {
            messages: request.messages.into_iter().map(chat_message).collect(),
            tools: request
                .tools
                .into_iter()
                .map(|tool| ToolSpec {
                    name: tool.wire_name(),
                    description: tool.description,
                    schema: tool.input_schema,
                })
                .collect(),
            forbid_tools: false,
            temperature: self.temperature,
            max_tokens: self.max_tokens,
            request_id: request.request_id.to_string(),
            deadline: Some(Instant::now() + request.timeout),
            labels: self.labels.clone(),
        };
        match self.model.ask(&request).await {
            Ok(answer) => answered(answer),
            Err(no_answer) => unanswered(&no_answer),
        }
    }
}

fn chat_message(message: Message) -> ChatMessage {
    match message {
        Message::System { content } => ChatMessage::system(content),
        Message::User { content } => ChatMessage::user(content),
        Message::Assistant { content, tool_calls } => ChatMessage {
            tool_calls: tool_calls
                .into_iter()
                .map(|call| NativeToolCall {
                    id: call.id,
                    name: call.name,
                    arguments: call.arguments,
                    signature: None,
                })
                .collect(),
            ..ChatMessage::assistant(content)
        },
        Message::Tool { tool_call_id, content } => ChatMessage::tool(tool_call_id, content),
    }
}

fn answered(answer: Answer) -> ModelAnswer {
    let attempts = (answer.attempts.len() > 1).then(|| json!(answer.attempts));
    let answered_by =
        answer.fell_back.then(|| format!("{} ({})", answer.provider, answer.reply.model_name));
    let tool_calls =
        (!answer.reply.tool_calls.is_empty()).then(|| json!(answer.reply.tool_calls));
    ModelAnswer {
        result: LlmResult {
            success: true,
            response_text: Some(answer.reply.text),
            thinking: answer.reply.thinking,
            tool_calls,
            usage: answer.reply.usage,
            cost_usd: answer.cost_usd,
            duration_ms: i64::try_from(answer.duration.as_millis()).unwrap_or(i64::MAX),
            error_class: None,
            error_message: None,
            answered_by,
            attempts,
        },
        retry_after: None,
    }
}

fn unanswered(no_answer: &NoAnswer) -> ModelAnswer {
    ModelAnswer {
        result: LlmResult {
            success: false,
            duration_ms: i64::try_from(no_answer.duration.as_millis()).unwrap_or(i64::MAX),
            error_class: Some(no_answer.error.class.to_string()),
            error_message: Some(no_answer.reason()),
            attempts: (no_answer.attempts.len() > 1).then(|| json!(no_answer.attempts)),
            ..LlmResult::default()
        },
        retry_after: match no_answer.verdict {
            Verdict::Snooze(wait) => Some(wait),
            Verdict::Fail => None,
        },
    }
}
