//! The task of an agent in one stage.

use std::collections::BTreeMap;

use tarsy_agent_api::CodeAgent;
use tarsy_model::{
    AgentLimits, AlertProcessingData, Change, FollowUp, IterationStrategy, UnixMicros,
};

use crate::{ApprovalRule, OutputTask, Verification};

/// Guidance for one MCP server (second tier of instructions).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInstructions {
    /// Configured server id.
    pub server: String,
    /// Its instructions, from configuration.
    pub text: String,
}

/// Everything an agent needs to know before its first step.
///
/// The same brief must be given when a stage execution is resumed: prompts are rebuilt from
/// it and from the transcript, and stored nowhere else.
#[derive(Clone, Debug)]
pub struct AgentBrief {
    /// Name of the agent, for prompts and output.
    pub agent: String,
    /// How it iterates; stage over agent over default is resolved by the caller.
    pub strategy: IterationStrategy,
    /// The agent's code, if it is written in Rust; the strategy then says only what is handed on.
    pub code: Option<&'static dyn CodeAgent>,
    /// Alert, runbook and earlier stages. The caller has masked it: it is sent to the model.
    pub data: AlertProcessingData,
    /// When the stage began, by Postgres's clock; `None`: unknown. It is the time that the agent is told.
    pub started_at: Option<UnixMicros>,
    /// What changed near the time of the alert, oldest first; masked like `data`.
    pub changes: Vec<Change>,
    /// The question to answer, if it is one about an ended session; masked like `data`.
    pub follow_up: Option<FollowUp>,
    /// What it is to do, if another agent dispatched it; masked like `data`.
    pub task: Option<String>,
    /// The agent's own instructions (third tier); empty for none.
    pub custom_instructions: String,
    /// Instructions of the agent's MCP servers (second tier), in the agent's order.
    pub server_instructions: Vec<ServerInstructions>,
    /// Which calls need approval, by server.
    pub approvals: BTreeMap<String, ApprovalRule>,
    /// What is asked for after the conclusion; `None`: nothing.
    pub output: Option<OutputTask>,
    /// Where the agent stops.
    pub limits: AgentLimits,
}

impl AgentBrief {
    /// What the stage verifies, if it does.
    #[must_use]
    pub fn verification(&self) -> Option<&Verification> {
        self.output.as_ref()?.verification.as_ref()
    }
}
