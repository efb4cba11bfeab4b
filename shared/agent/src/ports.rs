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
/// The driver calls `begin_*` before anything is sent, and `finish_*` before the agent acts on the answer. When a
/// stage is resumed, the driver calls `begin_*` again for a row that has no answer yet. This leaves the row as it is,
/// and fails if the claim was lost meanwhile.
///
/// `begin_mcp` and `finish_*` return the data as stored, because secrets may have been masked in it. The agent
/// continues from that data, so that a resumed stage, which has nothing else, sees the same.
///
/// A write fails with [`RunError::ClaimLost`], with [`RunError::Unstorable`] if the store will always refuse it, or
/// with [`RunError::Unavailable`] after the recorder's own retries.
#[async_trait]
pub trait Recorder: Send + Sync {
    /// Records that a model call is about to be made.
    async fn begin_llm(&self, intent: &LlmIntent) -> Result<(), RunError>;
    /// Records the answer or the failure of a model call.
    async fn finish_llm(
        &self,
        id: InteractionId,
        result: &LlmResult,
    ) -> Result<LlmResult, RunError>;
    /// Records that a tool call or tool list is about to be made, or is refused.
    async fn begin_mcp(&self, intent: &McpIntent) -> Result<McpIntent, RunError>;
    /// Records the result, failure or refusal of a tool call or tool list.
    async fn finish_mcp(
        &self,
        id: InteractionId,
        result: &McpResult,
    ) -> Result<McpResult, RunError>;
    /// Removes the intent of a call that was not sent, so that the worker that resumes the stage makes the call.
    /// Otherwise a call that may not be repeated would have an unknown outcome. A call that has a result or runs as a
    /// task keeps its intent.
    async fn withdraw_mcp(&self, id: InteractionId) -> Result<(), RunError>;
    /// Records that the call runs as this task at its server. It is written once, before the result. Without it, a
    /// worker that takes over treats the outcome of the call as unknown.
    async fn note_task(&self, id: InteractionId, task_id: &str) -> Result<(), RunError>;
    /// Hands the stage over to another worker that may be able to do what this one can't, and has not tried it
    /// before. Returns whether there was one. Calls that were begun and have no answer stay open for that worker.
    async fn hand_over(&self, why: &str) -> Result<bool, RunError>;
}

/// Properties of a model that the agent needs to know.
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
    /// Reply format that the model is asked for.
    pub reply_format: ReplyFormat,
    /// Whether the provider can enforce a JSON Schema on its answers.
    pub enforces_schemas: bool,
}

/// The answer of a model call, as it is recorded.
#[derive(Clone, Debug, Default)]
pub struct ModelAnswer {
    /// The answer or its error, ready for the row.
    pub result: LlmResult,
    /// The pause the provider asked for, when it is too long to wait within the call.
    pub retry_after: Option<Duration>,
    /// Set if no model was asked because of a fault of this machine.
    pub fault: Option<LocalFault>,
}

/// A model, including its retries within a call and its fallbacks.
#[async_trait]
pub trait Model: Send + Sync {
    /// Returns the properties of the model.
    fn profile(&self) -> ModelProfile;
    /// Asks the model. Dropping the future cancels the call.
    async fn ask(&self, request: ChatRequest) -> ModelAnswer;
}

/// One call of an offered tool.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// Id of the interaction.
    pub request_id: InteractionId,
    /// Session on whose behalf it is called.
    pub session_id: SessionId,
    /// W3C trace context of the call, for servers that record traces. The implementation that exports traces sets it.
    pub traceparent: Option<String>,
    /// Configured server id.
    pub server: String,
    /// The tool's name at its server.
    pub tool: String,
    /// The tool's fingerprint when the agent was shown it; a changed tool is refused.
    pub pin: ToolPin,
    /// Effect of the tool on the outside world, as it was offered.
    pub effect: EffectClass,
    /// Arguments, an object.
    pub arguments: Value,
    /// Longest time for the call.
    pub timeout: Duration,
    /// Id of the task that the call has already become. The tool is not called; only the task's result is awaited.
    pub task: Option<String>,
    /// Receives the id of the task that the call becomes, if it becomes one.
    pub task_begun: Option<mpsc::UnboundedSender<String>>,
}

/// Reason why a server's tools could not be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotListed {
    /// Reason for people, without secrets.
    pub reason: String,
    /// Set if the server was not asked because of a fault of this machine.
    pub fault: Option<LocalFault>,
}

/// The tools of one agent: its own servers and tool subset, nothing else.
#[async_trait]
pub trait Tools: Send + Sync {
    /// Returns the agent's servers, in its order.
    fn servers(&self) -> Vec<String>;
    /// Lists the tools of a server that this agent may use, with the server's instructions for them.
    ///
    /// # Errors
    ///
    /// [`NotListed`] if the server returns no list.
    async fn list(&self, server: &str) -> Result<ListedServer, NotListed>;
    /// Calls a tool and masks its answer. A call of a tool that the agent may not use is refused here too, even if
    /// the core planned it. Dropping the future cancels the call.
    ///
    /// # Errors
    ///
    /// [`RunError`] if the run must stop. The call can be repeated or was not sent, so it is made when the stage is
    /// resumed.
    async fn call(&self, call: ToolCall) -> Result<McpResult, RunError>;
}
