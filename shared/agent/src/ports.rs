//! The interfaces of an agent: model, tools, recorder.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tarsy_llm::ChatRequest;
use tarsy_mcp::{ListedServer, ToolPin};
use tarsy_model::{
    EffectClass, InteractionId, LlmIntent, LlmResult, LocalFault, McpIntent, McpResult,
    ReplyFormat, SessionId,
};
use tokio::sync::mpsc;

use crate::RunError;

/// Writes interactions as they happen, under the claim of the caller.
///
/// `begin_*` is called before the outside sees anything and `finish_*` before the agent acts
/// on the answer. When a stage is resumed, `begin_*` is called again for a row that has no
/// answer and is to get one: it leaves the row as it is, and is refused if the claim was lost meanwhile.
///
/// What was kept is given back: secrets may have been masked in it. The agent goes on from
/// that, so that a resumed stage, which has nothing else, sees the same.
///
/// A write fails with [`RunError::ClaimLost`], [`RunError::Unstorable`] if the store refuses it and always will, or
/// [`RunError::Unavailable`] after the recorder's own retries.
#[async_trait]
pub trait Recorder: Send + Sync {
    /// A model call is about to be made.
    async fn begin_llm(&self, intent: &LlmIntent) -> Result<(), RunError>;
    /// It was answered, or failed.
    async fn finish_llm(
        &self,
        id: InteractionId,
        result: &LlmResult,
    ) -> Result<LlmResult, RunError>;
    /// A tool call or tool list is about to be made, or is refused.
    async fn begin_mcp(&self, intent: &McpIntent) -> Result<McpIntent, RunError>;
    /// It was answered, failed or refused.
    async fn finish_mcp(
        &self,
        id: InteractionId,
        result: &McpResult,
    ) -> Result<McpResult, RunError>;
    /// Takes back the intent of a call that was not sent, as if it had not been begun: whoever resumes the stage makes it.
    /// Without that, a call that may not be repeated would be one of unknown outcome. One that has a result or runs as a task stays.
    async fn withdraw_mcp(&self, id: InteractionId) -> Result<(), RunError>;
    /// The call runs as this task at its server. Written once, before its result; without it, a worker that takes over
    /// takes the call for one of unknown outcome.
    async fn note_task(&self, id: InteractionId, task_id: &str) -> Result<(), RunError>;
    /// Gives the stage to another worker that may do what this one can't, and has not tried it before; whether there
    /// was one. What was begun and has no answer stays open, and is done there.
    async fn hand_over(&self, why: &str) -> Result<bool, RunError>;
}

/// What the agent must know about the model it talks to.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelProfile {
    /// Configured provider name, e.g. `gemini`.
    pub provider: String,
    /// Model name as sent.
    pub model_name: String,
    /// Sampling temperature as sent.
    pub temperature: Option<f64>,
    /// Tokens that prompt and answer may have together.
    pub context_window: usize,
    /// Most tokens of one answer; kept free in the window.
    pub max_output_tokens: usize,
    /// How it is asked to reply.
    pub reply_format: ReplyFormat,
    /// Whether its answers can be held to a JSON Schema.
    pub enforces_schemas: bool,
}

/// The answer of a model call, as it is recorded.
#[derive(Clone, Debug, Default)]
pub struct ModelAnswer {
    /// The answer or its error, ready for the row.
    pub result: LlmResult,
    /// The pause the provider asked for, when it is too long to wait within the call.
    pub retry_after: Option<Duration>,
    /// Why no model was asked, if that is for a reason of this machine.
    pub fault: Option<LocalFault>,
}

/// A model, with its in-call retries and fallbacks behind it.
#[async_trait]
pub trait Model: Send + Sync {
    /// What the model can do, by its provider.
    fn profile(&self) -> ModelProfile;
    /// Ask it. Dropping the future cancels the call.
    async fn ask(&self, request: ChatRequest) -> ModelAnswer;
}

/// One call of an offered tool.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// Names the interaction.
    pub request_id: InteractionId,
    /// Session on whose behalf it is called.
    pub session_id: SessionId,
    /// W3C trace context of the call, for servers that record traces; who exports traces fills it in.
    pub traceparent: Option<String>,
    /// Configured server id.
    pub server: String,
    /// The tool's name at its server.
    pub tool: String,
    /// The tool's fingerprint when the agent was shown it; a changed tool is refused.
    pub pin: ToolPin,
    /// What the tool does to the world, as it was offered.
    pub effect: EffectClass,
    /// Arguments, an object.
    pub arguments: Value,
    /// Longest time for the call.
    pub timeout: Duration,
    /// Id of the task that the call has become already: its result is waited for, and nothing is called.
    pub task: Option<String>,
    /// Gets the id of the task that the call becomes, if it becomes one.
    pub task_begun: Option<mpsc::UnboundedSender<String>>,
}

/// Why a server's tools could not be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotListed {
    /// For people, free of secrets.
    pub reason: String,
    /// Set if the server was not asked, for a reason of this machine.
    pub fault: Option<LocalFault>,
}

/// The tools of one agent: its own servers and tool subset, nothing else.
#[async_trait]
pub trait Tools: Send + Sync {
    /// The agent's servers, in its order.
    fn servers(&self) -> Vec<String>;
    /// Tools of one of them that this agent may use, and what the server says of their use.
    ///
    /// # Errors
    ///
    /// [`NotListed`] if the server gives no list.
    async fn list(&self, server: &str) -> Result<ListedServer, NotListed>;
    /// Call a tool and mask its answer. A call outside the agent's view is refused here too,
    /// whatever the core decided. Dropping the future cancels the call.
    ///
    /// # Errors
    ///
    /// [`RunError`] when the run must stop and the call is made when the stage is resumed: it can be repeated, or was
    /// not sent.
    async fn call(&self, call: ToolCall) -> Result<McpResult, RunError>;
}
