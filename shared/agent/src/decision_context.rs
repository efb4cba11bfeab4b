//! The input of a decision, besides the transcript.

use std::time::Duration;

use crate::AgentBrief;
use crate::fence::Fence;
use crate::ports::ModelProfile;

/// The fixed inputs of a stage execution and the time that it has left.
#[derive(Clone, Copy, Debug)]
pub struct DecisionContext<'a> {
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

    /// Whether only the time for a conclusion is left.
    pub(crate) fn is_time_up(&self) -> bool {
        self.remaining <= self.reserve
    }
}
