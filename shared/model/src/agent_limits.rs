//! Limits of an agent.

use std::time::Duration;

use serde::Serialize;

/// Limits of one stage execution. The top-level `limits` section of the configuration sets the defaults, an agent's
/// `limits` its own.
///
/// At every limit but a timeout of the stage the model is asked once more, without tools, to conclude from what it has.
/// Counts are taken from the transcript, so a crash renews none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AgentLimits {
    /// Answers of the model before it must conclude. Default 10.
    pub max_iterations: u32,
    /// Tool calls. Each recorded one counts: sent, refused, repeated, page read. Default 20.
    pub max_tool_calls: u32,
    /// Successful tool results, without pages and repeats, that are enough. Default 20.
    pub max_data_points: u32,
    /// Iterations before `max_data_points` applies. Default 3.
    pub min_iterations_for_data_points: u32,
    /// Longest time of one stage, crashes included: the deadline is stored. Default 600 s.
    pub stage_timeout: Duration,
    /// Longest single model call. Default 210 s.
    pub llm_call_timeout: Duration,
    /// Longest single tool call. Default 70 s.
    pub tool_call_timeout: Duration,
    /// Part of the stage's time that is reserved for the forced conclusion. Default 60 s; never more than a quarter of what was
    /// left when the agent started or resumed.
    pub conclusion_reserve: Duration,
    /// Longest wait for rate limits of one stage, all its waits together; no part of `stage_timeout`.
    /// Default 1 h.
    pub rate_limit_wait: Duration,
    /// Longest wait for a provider that fails or can't be reached, pauses in a row together; at most `rate_limit_wait`.
    /// Default 60 s.
    pub outage_wait: Duration,
    /// Characters (counted in UTF-8 as bytes) of one tool result that the model sees at once; it reads the rest in pages with
    /// `tarsy.read_page`. Default 16,000, about 4,000 tokens.
    pub page_chars: u32,
    /// Tools that the model is shown with their parameters. If there are more, it is shown the names, and loads those that it
    /// needs with `tarsy.find_tools`. Default 40.
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
    /// [`Self::page_chars`] as a length of text in memory.
    #[must_use]
    pub fn page_bytes(&self) -> usize {
        usize::try_from(self.page_chars).unwrap_or(usize::MAX)
    }

    /// Whether this many tools are too many to be shown with their parameters.
    #[must_use]
    pub fn has_too_many(&self, tools: usize) -> bool {
        usize::try_from(self.max_tool_schemas).is_ok_and(|most| tools > most)
    }
}
