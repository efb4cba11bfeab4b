//! Actions of a stage execution: the core decides on one, and the driver performs it.

use std::time::Duration;

use serde_json::Value;
use tarsy_llm::ChatMessage;
use tarsy_mcp::ToolInfo;
use tarsy_model::{InteractionId, LlmPurpose};

use crate::plan::PlannedCall;
use crate::reply_form::ReplyForm;
use crate::{CallToApprove, FailureClass, StageOutcome};

/// The next action for the driver.
#[derive(Clone, Debug)]
pub enum Action {
    /// List the tools of these servers.
    ListTools(Vec<Listing>),
    /// Ask the model.
    AskModel(Box<Question>),
    /// Make these calls. Calls that may be repeated run concurrently. A call that already has an answer is only
    /// recorded.
    CallTools(Vec<PlannedCall>),
    /// Wait until a person has decided about this call.
    Wait(Box<CallToApprove>),
    /// The stage has ended.
    Finish(StageOutcome),
}

impl Action {
    /// The stage has failed.
    pub(crate) fn fail(class: FailureClass, reason: impl Into<String>) -> Self {
        Self::Finish(StageOutcome::Failed {
            reason: reason.into(),
            class,
        })
    }
}

/// One server whose tools must be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Server id.
    pub server: String,
    /// Id of the intent's row, if the intent is already recorded (the stage was resumed).
    pub recorded: Option<InteractionId>,
    /// Position among all interactions.
    pub sequence: i32,
}

/// One question to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Id of the intent's row, if the intent is already recorded (the stage was resumed).
    pub recorded: Option<InteractionId>,
    /// Position among all interactions.
    pub sequence: i32,
    /// Iteration, from 1.
    pub iteration: i32,
    /// Why the model is asked.
    pub purpose: LlmPurpose,
    /// The whole conversation, cut to the model's window.
    pub messages: Vec<ChatMessage>,
    /// Messages that no earlier question contained. They are recorded in full.
    pub new_messages: Vec<ChatMessage>,
    /// Tools to offer natively; empty for text strategies.
    pub tools: Vec<ToolInfo>,
    /// Whether the model may only answer in text.
    pub forbid_tools: bool,
    /// Whether the answer is data, not text for people.
    pub is_data: bool,
    /// JSON Schema that the provider enforces on the answer.
    pub response_schema: Option<Value>,
    /// Whether generation stops where the model begins to write an observation itself.
    pub stops_at_observation: bool,
    /// The reply form before this question and from it on, if the form changes here.
    pub form_change: Option<(ReplyForm, ReplyForm)>,
    /// Longest time for the call.
    pub timeout: Duration,
    /// Description of the step, shown to people.
    pub step_description: String,
}
