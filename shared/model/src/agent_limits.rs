//! Limits of an agent.

use std::time::Duration;

use serde::Serialize;

/// Limits of one stage execution. The top-level `limits` section of the configuration sets the defaults. An agent's
/// `limits` section overrides them.
///
/// At every limit except the stage's timeout, the model is asked once more, without tools, to conclude from what it
/// has. Counts are taken from the transcript, so a crash does not reset them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AgentLimits {
    /// Number of model answers after which it must conclude. Default 10.
    pub max_iterations: u32,
    /// Maximum number of tool calls. Each recorded one counts: sent, refused, repeated, page read. Default 20.
    pub max_tool_calls: u32,
    /// Successful tool results, without pages and repeats, after which the model must conclude. Default 20.
    pub max_data_points: u32,
    /// Number of iterations before `max_data_points` applies. Default 3.
    pub min_iterations_for_data_points: u32,
    /// Longest time of one stage, including crashes, because the deadline is stored. Default 600 s.
    pub stage_timeout: Duration,
    /// Longest single model call. Default 210 s.
    pub llm_call_timeout: Duration,
    /// Longest single tool call. Default 70 s.
    pub tool_call_timeout: Duration,
    /// Part of the stage's time that is reserved for the forced conclusion. Default 60 s. It is never more than a
    /// quarter of the time that was left when the agent started or resumed.
    pub conclusion_reserve: Duration,
    /// Longest total wait of one stage for rate limits; not counted in `stage_timeout`. Default 1 h.
    pub rate_limit_wait: Duration,
    /// Longest wait for a provider that fails or can't be reached, over consecutive pauses; at most `rate_limit_wait`.
    /// Default 60 s.
    pub outage_wait: Duration,
    /// Characters (counted as UTF-8 bytes) of one tool result that the model sees at once. It reads the rest in pages
    /// with `tarsy.read_page`. Default 16,000, about 4,000 tokens.
    pub page_chars: u32,
    /// Most tools that the model sees with their parameters. If there are more, it sees only the names, and loads the
    /// tools that it needs with `tarsy.find_tools`. Default 40.
    pub max_tool_schemas: u32,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self {
            max_iterations: 10,
            max_tool_calls: 20,
            max_data_points: 20,
            min_iterations_for_data_points: 3,
            stage_timeout: Duration::from_secs(600),
            llm_call_timeout: Duration::from_secs(210),
            tool_call_timeout: Duration::from_secs(70),
            conclusion_reserve: Duration::from_secs(60),
            rate_limit_wait: Duration::from_secs(3_600),
            outage_wait: Duration::from_secs(60),
            page_chars: 16_000,
            max_tool_schemas: 40,
        }
    }
}

impl AgentLimits {
    /// Returns [`Self::page_chars`] as a number of bytes.
    #[must_use]
    pub fn page_bytes(&self) -> usize {
        usize::try_from(self.page_chars).unwrap_or(usize::MAX)
    }

    /// Whether `tools` are too many to show the model the parameters of each.
    #[must_use]
    pub fn has_too_many(&self, tools: usize) -> bool {
        usize::try_from(self.max_tool_schemas).is_ok_and(|most| tools > most)
    }
}
