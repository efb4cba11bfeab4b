//! The scripted model as a [`ChatModel`].

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tarsy_model::TokenUsage;
use tokio::time::Instant;

use super::rule::Reply;
use super::{Script, ScriptError};
use crate::{
    AnswerPart, CallError, ChatModel, ChatReply, ChatRequest, ErrorClass, InvalidSettings,
    NativeToolCall, Price, ProviderSettings, ScriptSource, StopReason,
};

/// A model that plays a [`Script`].
#[derive(Clone, Debug)]
pub struct ScriptedModel {
    provider: String,
    model_name: String,
    script: Script,
    timeout: Duration,
    price: Option<Price>,
    context_window: Option<u32>,
}

impl ScriptedModel {
    /// Creates a model that plays `script` under the provider name `scripted`.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self {
            provider: "scripted".to_owned(),
            model_name: format!("scripted:{}", script.name()),
            script,
            timeout: Duration::from_secs(210),
            price: None,
            context_window: None,
        }
    }

    /// Creates the model of a provider of kind `scripted`.
    ///
    /// # Errors
    ///
    /// [`InvalidSettings::Script`] if there is no script or it does not load.
    pub fn from_settings(settings: &ProviderSettings) -> Result<Self, InvalidSettings> {
        let script = match &settings.script {
            None => Err(ScriptError::Missing),
            Some(ScriptSource::File(path)) => Script::load(path),
            Some(ScriptSource::Embedded { name, yaml }) => Script::parse(*name, yaml),
        }
        .map_err(|source| InvalidSettings::Script {
            provider: settings.name.clone(),
            source,
        })?;
        Ok(Self {
            provider: settings.name.clone(),
            timeout: settings.timeout,
            price: settings.price,
            context_window: settings.context_window,
            ..Self::new(script)
        })
    }

    /// Waits for the script's delay, at most for the call's time, and meanwhile streams the text word by word.
    async fn delay(&self, reply: &Reply, request: &ChatRequest) -> Result<(), CallError> {
        let delay = Duration::from_millis(reply.delay_ms);
        let limit = request.deadline.map_or(self.timeout, |deadline| {
            self.timeout
                .min(deadline.saturating_duration_since(Instant::now()))
        });
        let wait = delay.min(limit);
        let thinking = reply.thinking.as_deref().unwrap_or_default();
        let parts = [
            (AnswerPart::Thinking, thinking),
            (AnswerPart::Text, &reply.text),
        ];
        if request.stream.is_observed() && reply.error.is_none() && !wait.is_zero() {
            let words: Vec<(AnswerPart, &str)> = parts
                .into_iter()
                .flat_map(|(part, text)| text.split_inclusive(' ').map(move |word| (part, word)))
                .collect();
            let (began, count) = (
                Instant::now(),
                u32::try_from(words.len()).unwrap_or(u32::MAX),
            );
            for (at, (part, word)) in (1..).zip(words) {
                request.stream.piece(part, word);
                tokio::time::sleep_until(began + wait * at / count.max(1)).await;
            }
            tokio::time::sleep_until(began + wait).await;
        } else {
            tokio::time::sleep(wait).await;
        }
        if delay > limit {
            let message = format!("no answer within {:.1} s", limit.as_secs_f64());
            return Err(CallError::new(ErrorClass::Timeout, message));
        }
        Ok(())
    }
}

#[async_trait]
impl ChatModel for ScriptedModel {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, CallError> {
        let turn = request.assistant_turns() + 1;
        let Some(reply) = self.script.reply(request) else {
            return Err(CallError::new(
                ErrorClass::InvalidRequest,
                format!(
                    "no rule of the script `{}` applies at iteration {turn}",
                    self.script.name()
                ),
            ));
        };
        self.delay(reply, request).await?;
        if let Some(error) = &reply.error {
            return Err(CallError::new(error.class, error.message.clone())
                .with_retry_after(error.retry_after_ms.map(Duration::from_millis)));
        }
        let tool_calls: Vec<_> = reply
            .tool_calls
            .iter()
            .enumerate()
            .map(|(index, call)| NativeToolCall {
                id: format!("call_{turn}_{}", index + 1),
                name: call.name.clone(),
                arguments: call
                    .arguments
                    .clone()
                    .unwrap_or_else(|| Value::Object(Default::default())),
                signature: None,
            })
            .collect();
        Ok(ChatReply {
            text: reply.text.clone(),
            thinking: reply.thinking.clone(),
            stop_reason: if tool_calls.is_empty() {
                StopReason::Completed
            } else {
                StopReason::ToolCalls
            },
            tool_calls,
            usage: reply.usage.map(|usage| TokenUsage {
                cache_write_tokens: 0,
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
                ..TokenUsage::default()
            }),
            model_name: self.model_name.clone(),
        })
    }

    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_name(&self) -> &str {
        &self.model_name
    }

    fn context_window(&self) -> Option<u32> {
        self.context_window
    }

    fn price(&self) -> Option<Price> {
        self.price
    }
}
