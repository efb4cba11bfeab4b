//! Limits of a stage execution.

use std::time::Duration;

/// The limits of one stage execution.
///
/// At every limit but the last one the model is asked once more, without tools, to conclude
/// from what it has. Counts are taken from the transcript, so a crash renews none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Answers of the model that may go by before it must conclude. Default 10.
    pub max_iterations: u32,
    /// Tool calls, each recorded one counts: sent, refused, repeated, page read. Default 20.
    pub max_tool_calls: u32,
    /// Successful tool results (pages and repeats excepted) that are enough. Default 20.
    pub max_data_points: u32,
    /// Iterations before `max_data_points` is looked at. Default 3.
    pub min_iterations_for_data_points: u32,
    /// Longest single model call. Default 210 s.
    pub llm_call_timeout: Duration,
    /// Longest single tool call. Default 70 s.
    pub tool_call_timeout: Duration,
    /// Part of the stage's time kept back for the forced conclusion. Default 60 s; never
    /// more than a quarter of what was left when the agent started or resumed.
    pub conclusion_reserve: Duration,
    /// Longest wait for a provider that fails or can't be reached, all pauses in a row together. Default 60 s.
    pub outage_wait: Duration,
    /// Characters (counted in UTF-8 as bytes) of one tool result that the model sees at once;
    /// the rest is read in pages with `tarsy.read_page`. Default 16,000, about 4,000 tokens.
    pub page_chars: usize,
    /// Tools of servers that the model is shown with their parameters. Of more it is shown the names, and loads those that it
    /// needs with `tarsy.find_tools`. Default 40.
    pub max_tool_schemas: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_iterations: 10,
            max_tool_calls: 20,
            max_data_points: 20,
            min_iterations_for_data_points: 3,
            llm_call_timeout: Duration::from_secs(210),
            tool_call_timeout: Duration::from_secs(70),
            conclusion_reserve: Duration::from_secs(60),
            outage_wait: Duration::from_secs(60),
            page_chars: 16_000,
            max_tool_schemas: 40,
        }
    }
}
