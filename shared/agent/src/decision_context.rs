//! Input of a decision about the next action.

use std::time::Duration;

use tarsy_mcp::ToolInfo;

use crate::fence::Fence;
use crate::ports::ModelProfile;
use crate::{AgentBrief, Transcript};

/// Record of a stage execution so far, its fixed inputs and the time that is left.
#[derive(Clone, Copy, Debug)]
pub struct DecisionContext<'a> {
    /// Record of the stage so far.
    pub transcript: &'a Transcript,
    /// The task of the agent.
    pub brief: &'a AgentBrief,
    /// Profile of the agent's model.
    pub profile: &'a ModelProfile,
    /// Profile of the model that summarises long tool results, if one is configured.
    pub summarizer: Option<&'a ModelProfile>,
    /// Ids of the agent's MCP servers, in the agent's order.
    pub servers: &'a [String],
    /// Time until the stage's deadline.
    pub remaining: Duration,
    /// Time reserved for the forced conclusion.
    pub reserve: Duration,
}

impl DecisionContext<'_> {
    pub(crate) fn fence(&self) -> Fence {
        Fence::new(self.brief.data.session_id)
    }

    pub(crate) fn page_bytes(&self) -> usize {
        self.brief.limits.page_bytes()
    }

    /// Returns the tools of the agent's servers.
    pub(crate) fn offers(&self) -> Vec<ToolInfo> {
        self.transcript.offers(self.servers)
    }

    /// Returns whether only the time for a conclusion is left.
    pub(crate) fn is_time_up(&self) -> bool {
        self.remaining <= self.reserve
    }
}
