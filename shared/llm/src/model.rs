//! The trait of all models.

use async_trait::async_trait;

use crate::{CallError, ChatReply, ChatRequest, Price, ReplyFormat};

/// A model that can be asked.
#[async_trait]
pub trait ChatModel: Send + Sync + std::fmt::Debug {
    /// Asks once, without retries or fallbacks. Ends at the request's deadline or the provider's timeout, whichever
    /// comes first. Dropping the future aborts the call.
    ///
    /// # Errors
    ///
    /// [`CallError`] if there is no answer with text or tool calls.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, CallError>;

    /// Returns the provider's name in the configuration, e.g. `gemini`.
    fn provider(&self) -> &str;

    /// Returns the model's name as sent, e.g. `gemini-2.5-flash`, or `scripted:<name>`.
    fn model_name(&self) -> &str;

    /// Returns the context window: tokens of prompt and answer together. `None`: unknown.
    fn context_window(&self) -> Option<u32> {
        None
    }

    /// Returns the price of tokens; `None`: unknown.
    fn price(&self) -> Option<Price> {
        None
    }

    /// Returns the temperature that is sent if a request sets none.
    fn temperature(&self) -> Option<f64> {
        None
    }

    /// Returns the format in which the model is asked to reply.
    fn reply_format(&self) -> ReplyFormat {
        ReplyFormat::Auto
    }

    /// Whether the model can enforce a JSON Schema on its answers.
    fn enforces_schemas(&self) -> bool {
        false
    }

    /// Whether the settings suffice for a call. Makes no network call.
    fn is_configured(&self) -> bool {
        true
    }
}
