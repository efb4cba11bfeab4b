//! Limits of agents.

use std::time::Duration;

use serde::Serialize;

use crate::fields::Fields;

/// Limits of one stage execution; the top-level `limits` section sets the system's
/// defaults, an agent's `limits` its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AgentLimits {
    /// Answers of the model before it must conclude. Default 10.
    pub max_iterations: u32,
    /// Tool calls, refused ones included. Default 20.
    pub max_tool_calls: u32,
    /// Successful tool results that are enough. Default 20.
    pub max_data_points: u32,
    /// Iterations before `max_data_points` applies. Default 3.
    pub min_iterations_for_data_points: u32,
    /// Longest time of one stage, crashes included: the deadline is stored. Default 600 s.
    pub stage_timeout: Duration,
    /// Longest single model call. Default 210 s.
    pub llm_call_timeout: Duration,
    /// Longest single tool call. Default 70 s.
    pub tool_call_timeout: Duration,
    /// Part of the stage's time kept for the forced conclusion. Default 60 s.
    pub conclusion_reserve: Duration,
    /// Longest wait for rate limits of one stage, all its waits together; no part of `stage_timeout`.
    /// Default 1 h.
    pub rate_limit_wait: Duration,
    /// Longest wait for a provider that fails or can't be reached, pauses in a row together; at most `rate_limit_wait`.
    /// Default 60 s.
    pub outage_wait: Duration,
    /// Characters of one tool result that the model sees at once. Default 16,000.
    pub page_chars: u32,
    /// Tools that the model is shown with their parameters; of more it is shown the names. Default 40.
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
    /// Read a `limits` section over `defaults`.
    pub(crate) fn read(fields: &Fields<'_>, defaults: Self) -> Self {
        let duration = |key, default| fields.duration(key).unwrap_or(default);
        let rate_limit_wait = duration("rate_limit_wait", defaults.rate_limit_wait);
        let limits = Self {
            max_iterations: fields
                .integer("max_iterations", 1..=1_000)
                .unwrap_or(defaults.max_iterations),
            max_tool_calls: fields
                .integer("max_tool_calls", 0..=10_000)
                .unwrap_or(defaults.max_tool_calls),
            max_data_points: fields
                .integer("max_data_points", 1..=10_000)
                .unwrap_or(defaults.max_data_points),
            min_iterations_for_data_points: fields
                .integer("min_iterations_for_data_points", 0..=1_000)
                .unwrap_or(defaults.min_iterations_for_data_points),
            stage_timeout: duration("stage_timeout", defaults.stage_timeout),
            llm_call_timeout: duration("llm_call_timeout", defaults.llm_call_timeout),
            tool_call_timeout: duration("tool_call_timeout", defaults.tool_call_timeout),
            conclusion_reserve: duration("conclusion_reserve", defaults.conclusion_reserve),
            rate_limit_wait,
            outage_wait: duration("outage_wait", defaults.outage_wait).min(rate_limit_wait),
            page_chars: fields
                .integer("page_chars", 500..=1_000_000)
                .unwrap_or(defaults.page_chars),
            max_tool_schemas: fields
                .integer("max_tool_schemas", 1..=10_000)
                .unwrap_or(defaults.max_tool_schemas),
        };
        fields.finish();
        limits.report_contradictions(fields);
        limits
    }

    fn report_contradictions(&self, fields: &Fields<'_>) {
        let stage = self.stage_timeout;
        for (key, value) in [
            ("llm_call_timeout", self.llm_call_timeout),
            ("tool_call_timeout", self.tool_call_timeout),
            ("conclusion_reserve", self.conclusion_reserve),
        ] {
            if value > stage {
                fields.contradiction(
                    &[key, "stage_timeout"],
                    format!("`{key}` ({value:?}) is longer than `stage_timeout` ({stage:?})"),
                    "the stage ends at its timeout anyway",
                );
            }
        }
        if self.min_iterations_for_data_points > self.max_iterations {
            fields.contradiction(
                &["min_iterations_for_data_points", "max_iterations"],
                format!(
                    "`min_iterations_for_data_points` ({}) is more than `max_iterations` ({})",
                    self.min_iterations_for_data_points, self.max_iterations
                ),
                "`max_data_points` would never apply",
            );
        }
    }
}
