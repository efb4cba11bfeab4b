//! Reads the limits of agents.

use tarsy_model::AgentLimits;

use crate::fields::Fields;
use crate::schema::scalars::Whole;

/// Values of `max_iterations`.
pub(crate) type Iterations = Whole<1, 1_000>;
/// Values of `max_tool_calls`.
pub(crate) type ToolCalls = Whole<0, 10_000>;
/// Values of `max_data_points`.
pub(crate) type DataPoints = Whole<1, 10_000>;
/// Values of `min_iterations_for_data_points`.
pub(crate) type MinIterations = Whole<0, 1_000>;
/// Values of `page_chars`.
pub(crate) type PageChars = Whole<500, 1_000_000>;
/// Values of `max_tool_schemas`.
pub(crate) type ToolSchemas = Whole<1, 10_000>;

/// Reads a `limits` section. Missing keys take the values of `defaults`.
pub(crate) fn read(fields: &Fields<'_>, defaults: AgentLimits) -> AgentLimits {
    let duration = |key, default| fields.duration(key).unwrap_or(default);
    let rate_limit_wait = duration("rate_limit_wait", defaults.rate_limit_wait);
    let limits = AgentLimits {
        max_iterations: fields
            .integer("max_iterations", Iterations::RANGE)
            .unwrap_or(defaults.max_iterations),
        max_tool_calls: fields
            .integer("max_tool_calls", ToolCalls::RANGE)
            .unwrap_or(defaults.max_tool_calls),
        max_data_points: fields
            .integer("max_data_points", DataPoints::RANGE)
            .unwrap_or(defaults.max_data_points),
        min_iterations_for_data_points: fields
            .integer("min_iterations_for_data_points", MinIterations::RANGE)
            .unwrap_or(defaults.min_iterations_for_data_points),
        stage_timeout: duration("stage_timeout", defaults.stage_timeout),
        llm_call_timeout: duration("llm_call_timeout", defaults.llm_call_timeout),
        tool_call_timeout: duration("tool_call_timeout", defaults.tool_call_timeout),
        conclusion_reserve: duration("conclusion_reserve", defaults.conclusion_reserve),
        rate_limit_wait,
        outage_wait: duration("outage_wait", defaults.outage_wait).min(rate_limit_wait),
        page_chars: fields
            .integer("page_chars", PageChars::RANGE)
            .unwrap_or(defaults.page_chars),
        max_tool_schemas: fields
            .integer("max_tool_schemas", ToolSchemas::RANGE)
            .unwrap_or(defaults.max_tool_schemas),
    };
    fields.finish();
    report_contradictions(&limits, fields);
    limits
}

fn report_contradictions(limits: &AgentLimits, fields: &Fields<'_>) {
    let stage = limits.stage_timeout;
    for (key, value) in [
        ("llm_call_timeout", limits.llm_call_timeout),
        ("tool_call_timeout", limits.tool_call_timeout),
        ("conclusion_reserve", limits.conclusion_reserve),
    ] {
        if value > stage {
            fields.contradiction(
                &[key, "stage_timeout"],
                format!("`{key}` ({value:?}) is longer than `stage_timeout` ({stage:?})"),
                "the stage ends at its timeout anyway",
            );
        }
    }
    if limits.min_iterations_for_data_points > limits.max_iterations {
        fields.contradiction(
            &["min_iterations_for_data_points", "max_iterations"],
            format!(
                "`min_iterations_for_data_points` ({}) is more than `max_iterations` ({})",
                limits.min_iterations_for_data_points, limits.max_iterations
            ),
            "`max_data_points` would never apply",
        );
    }
}
