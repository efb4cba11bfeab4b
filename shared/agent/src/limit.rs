//! Checks the limits of a stage.

use std::fmt;

use serde::Serialize;

use crate::decision_context::DecisionContext;
use crate::transcript::is_data_point;

/// Which limit ended the iterations, as recorded in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LimitReached {
    Iterations,
    ToolCalls,
    DataPoints,
    Repeats,
    Time,
}

/// Replies in a row that only repeat answered calls, after which nothing new is expected.
const MOST_REPEATS: usize = 5;

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Iterations => "iterations",
            Self::ToolCalls => "tool calls",
            Self::DataPoints => "data points",
            Self::Repeats => "repeats",
            Self::Time => "time",
        })
    }
}

impl DecisionContext<'_> {
    /// Returns the limit that the stage has reached, including its time limit.
    pub(crate) fn limit(&self) -> Option<LimitReached> {
        let is_time_up = self.is_time_up().then_some(LimitReached::Time);
        self.countable_limit().or(is_time_up)
    }

    /// Returns the limit other than time that the transcript has reached.
    pub(crate) fn countable_limit(&self) -> Option<LimitReached> {
        let limits = &self.brief.limits;
        let over = |count: usize, limit: u32| u32::try_from(count).unwrap_or(u32::MAX) >= limit;
        let turns = self.transcript.turns();
        let answered = || turns.iter().filter(|turn| turn.is_answered_iteration());
        let is_repeat = |turn: &_| self.transcript.only_repeats(turn);
        let repeats = answered().rev().take_while(|turn| is_repeat(turn)).count();
        let iterations = answered().count();
        let calls = self.transcript.calls();
        let points = calls.clone().filter(|call| is_data_point(call)).count();
        if over(iterations, limits.max_iterations) {
            Some(LimitReached::Iterations)
        } else if over(calls.count(), limits.max_tool_calls) {
            Some(LimitReached::ToolCalls)
        } else if over(points, limits.max_data_points)
            && over(iterations, limits.min_iterations_for_data_points)
        {
            Some(LimitReached::DataPoints)
        } else {
            (repeats >= MOST_REPEATS).then_some(LimitReached::Repeats)
        }
    }
}
