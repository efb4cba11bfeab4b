//! The input of a decision.

use std::time::Duration;

use tarsy_mcp::ToolInfo;

use crate::fence::Fence;
use crate::ports::ModelProfile;
use crate::{AgentBrief, Transcript};

/// What has happened in a stage execution, its fixed inputs and the time that it has left.
#[derive(Clone, Copy, Debug)]
pub struct DecisionContext<'a> {
    /// What has happened.
    pub transcript: &'a Transcript,
    /// What the agent was told.
    pub brief: &'a AgentBrief,
    /// The model it talks to.
    pub profile: &'a ModelProfile,
    /// The model that summarises long tool results, if one is configured.
    pub summarizer: Option<&'a ModelProfile>,
    /// Its MCP servers, in its order.
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

    /// The tools of its servers.
    pub(crate) fn offers(&self) -> Vec<ToolInfo> {
        self.transcript.offers(self.servers)
    }

    /// Whether only the time for a conclusion is left.
    pub(crate) fn is_time_up(&self) -> bool {
        self.remaining <= self.reserve
    }
}
