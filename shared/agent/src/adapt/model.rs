//! Implements [`Model`] for a model with its fallbacks.

use async_trait::async_trait;
use tarsy_llm::{Answer, ChatRequest, ErrorClass, ModelWithFallbacks, NoAnswer, Verdict};
use tarsy_model::{LlmResult, LocalFault};

use crate::outage::is_outage;
use crate::ports::{Model, ModelAnswer, ModelProfile};

/// Context window, in tokens, if the provider does not report one. Today's small models have this size.
const UNKNOWN_WINDOW: u32 = 32_768;
/// Tokens kept free for the answer, reasoning included.
const ANSWER_TOKENS: usize = 8_192;

#[async_trait]
impl Model for ModelWithFallbacks {
    fn profile(&self) -> ModelProfile {
        let preferred = self.preferred();
        ModelProfile {
            provider: preferred.provider().to_owned(),
            model_name: preferred.model_name().to_owned(),
            temperature: self.temperature(),
            context_window: self.context_window().unwrap_or(UNKNOWN_WINDOW) as usize,
            max_output_tokens: ANSWER_TOKENS,
            reply_format: self.reply_format(),
            enforces_schemas: self.enforces_schemas(),
        }
    }

    async fn ask(&self, request: ChatRequest) -> ModelAnswer {
        let request = self.with_options_of_stage(request);
        match Self::ask(self, &request).await {
            Ok(answer) => ModelAnswer {
                result: answered(answer),
                ..ModelAnswer::default()
            },
            Err(none) => unanswered(&none),
        }
    }
}

fn answered(answer: Answer) -> LlmResult {
    let reply = answer.reply;
    LlmResult {
        success: true,
        response_text: (!reply.text.is_empty()).then_some(reply.text),
        thinking: reply.thinking,
        tool_calls: (!reply.tool_calls.is_empty())
            .then(|| serde_json::to_value(&reply.tool_calls).ok())
            .flatten(),
        usage: reply.usage,
        finish_reason: Some(reply.stop_reason.as_str().to_owned()),
        cost_usd: answer.cost_usd,
        price_as_of: answer.price_as_of.map(str::to_owned),
        answered_by: answer
            .fell_back
            .then(|| format!("{}/{}", answer.provider, reply.model_name)),
        attempts: (answer.attempts.len() > 1)
            .then(|| serde_json::to_value(&answer.attempts).ok())
            .flatten(),
        ..LlmResult::default()
    }
}

fn unanswered(none: &NoAnswer) -> ModelAnswer {
    let (retry_after, fault) = match none.verdict {
        Verdict::Snooze(wait) => (Some(wait), None),
        Verdict::Unreachable => (None, Some(LocalFault::Unreachable)),
        Verdict::Shortage(shortage) => (None, Some(LocalFault::Shortage(shortage))),
        Verdict::Outage | Verdict::Fail => (None, None),
    };
    // Report the temporary error class that led to this verdict, even if a later fallback failed with another class.
    let passing = |class: &ErrorClass| match none.verdict {
        Verdict::Snooze(_) => matches!(class, ErrorClass::RateLimited | ErrorClass::Overloaded),
        Verdict::Outage => is_outage(class.as_str()),
        _ => false,
    };
    let passing = none.attempts.iter().filter_map(|a| a.class).find(passing);
    let class = passing.unwrap_or(none.error.class);
    let result = LlmResult {
        error_class: Some(class.as_str().to_owned()),
        error_message: Some(none.reason()),
        attempts: (none.attempts.len() > 1)
            .then(|| serde_json::to_value(&none.attempts).ok())
            .flatten(),
        ..LlmResult::default()
    };
    ModelAnswer {
        result,
        retry_after,
        fault,
    }
}
