//! Checks the limits of a stage.

use crate::decision_context::DecisionContext;
use crate::transcript::{Transcript, is_data_point};

/// Which limit ended the iterations, as recorded in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitReached {
    Iterations,
    ToolCalls,
    DataPoints,
    Repeats,
    Time,
}

/// Replies in a row that call only what was answered before, after which nothing new is expected.
const MOST_REPEATS: usize = 5;

impl LimitReached {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::ToolCalls => "tool_calls",
            Self::DataPoints => "data_points",
            Self::Repeats => "repeats",
            Self::Time => "time",
        }
    }
}

/// Which countable limit the transcript has reached.
pub(crate) fn limit_reached(
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Option<LimitReached> {
    let limits = &context.brief.limits;
    let over = |count: usize, limit: u32| u32::try_from(count).unwrap_or(u32::MAX) >= limit;
    let turns = transcript.turns();
    let answered = turns.iter().filter(|t| t.is_answered_iteration());
    let repeats = answered
        .clone()
        .rev()
        .take_while(|t| transcript.only_repeats(t));
    let (iterations, repeats) = (answered.clone().count(), repeats.count());
    let calls = transcript.calls_before(i32::MAX);
    let (mut made, mut points) = (0, 0);
    for call in calls {
        made += 1;
        points += usize::from(is_data_point(call));
    }
    if over(iterations, limits.max_iterations) {
        Some(LimitReached::Iterations)
    } else if over(made, limits.max_tool_calls) {
        Some(LimitReached::ToolCalls)
    } else if over(points, limits.max_data_points)
        && over(iterations, limits.min_iterations_for_data_points)
    {
        Some(LimitReached::DataPoints)
    } else if repeats >= MOST_REPEATS {
        Some(LimitReached::Repeats)
    } else {
        None
    }
}
