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
/// Pass the same brief when a stage execution is resumed. Prompts are rebuilt from it and from the transcript, and
/// are stored nowhere else.
#[derive(Clone, Debug)]
pub struct AgentBrief {
    /// Name of the agent, for prompts and output.
    pub agent: String,
    /// Iteration strategy. The caller resolves it: the stage's overrides the agent's, which overrides the default.
    pub strategy: IterationStrategy,
    /// The agent's code, if it is written in Rust. The strategy then only determines what is handed on to later
    /// stages.
    pub code: Option<&'static dyn CodeAgent>,
    /// Alert, runbook and earlier stages. The caller has masked it: it is sent to the model.
    pub data: AlertProcessingData,
    /// When the stage began, by Postgres's clock; `None`: unknown. Prompts state it as the current time.
    pub started_at: Option<UnixMicros>,
    /// Changes near the time of the alert, oldest first; masked like `data`.
    pub changes: Vec<Change>,
    /// The question to answer, if this is a question about an ended session; masked like `data`.
    pub follow_up: Option<FollowUp>,
    /// The agent's task, if another agent dispatched it; masked like `data`.
    pub task: Option<String>,
    /// The agent's own instructions (third tier); empty for none.
    pub custom_instructions: String,
    /// Instructions of the agent's MCP servers (second tier), in the agent's order.
    pub server_instructions: Vec<ServerInstructions>,
    /// Which calls need approval, by server.
    pub approvals: BTreeMap<String, ApprovalRule>,
    /// Output to request after the conclusion; `None`: nothing.
    pub output: Option<OutputTask>,
    /// Limits at which the agent stops.
    pub limits: AgentLimits,
}

impl AgentBrief {
    /// Returns what the stage verifies, if it verifies another stage's claims.
    #[must_use]
    pub fn verification(&self) -> Option<&Verification> {
        self.output.as_ref()?.verification.as_ref()
    }
}
