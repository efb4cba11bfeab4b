//! The trait of all models.

use async_trait::async_trait;

use crate::{CallError, ChatReply, ChatRequest, Price, ReplyFormat};

/// A model that can be asked.
#[async_trait]
pub trait ChatModel: Send + Sync + std::fmt::Debug {
    /// Ask once: no retries, no fallback. Ends by the request's deadline and the provider's
    /// timeout, whichever is first. Dropping the future aborts the call.
    ///
    /// # Errors
    ///
    /// [`CallError`] whenever there is no answer with text or tool calls.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, CallError>;

    /// Name of the provider in the configuration, e.g. `gemini`.
    fn provider(&self) -> &str;

    /// Name of the model as sent, e.g. `gemini-2.5-flash`, or `scripted:<name>`.
    fn model_name(&self) -> &str;

    /// Tokens the model can take, prompt and answer together; `None`: unknown.
    fn context_window(&self) -> Option<u32> {
        None
    }

    /// What tokens cost; `None`: unknown.
    fn price(&self) -> Option<Price> {
        None
    }

    /// Temperature that is sent when a request names none.
    fn temperature(&self) -> Option<f64> {
        None
    }

    /// How it is asked to reply.
    fn reply_format(&self) -> ReplyFormat {
        ReplyFormat::Auto
    }

    /// Whether its answers can be held to a JSON Schema.
    fn enforces_schemas(&self) -> bool {
        false
    }

    /// Whether a call could be made. Makes no network call.
    fn is_configured(&self) -> bool {
        true
    }
}
