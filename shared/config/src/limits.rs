//! Limits of agents.

use tarsy_model::AgentLimits;

use crate::fields::{Fields, Length, Whole, section};

section! {
    /// Limits of one stage execution.
    struct LimitsFields("Limits") {
        /// Maximum number of model answers before the agent must conclude. Default: 10.
        max_iterations: Whole<1, 1_000, u32>,
        /// Maximum number of tool calls before the agent must conclude, including refused ones. Default: 20.
        max_tool_calls: Whole<0, 10_000, u32>,
        /// Number of successful tool results after which the agent must conclude. Default: 20.
        max_data_points: Whole<1, 10_000, u32>,
        /// Number of iterations before `max_data_points` applies. Default: 3.
        min_iterations_for_data_points: Whole<0, 1_000, u32>,
        /// Maximum duration of a stage, including restarts. Default: 600s.
        stage_timeout: Length,
        /// Maximum duration of a model call, including retries and fallbacks. Default: 210s.
        llm_call_timeout: Length,
        /// Maximum duration of a tool call. Default: 70s.
        tool_call_timeout: Length,
        /// Part of `stage_timeout` that is reserved for the forced conclusion. Default: 60s.
        conclusion_reserve: Length,
        /// Maximum total wait for rate limits, which does not count towards `stage_timeout`. Default: 1h.
        rate_limit_wait: Length,
        /// Maximum total wait for a provider that fails or can't be reached, over consecutive pauses. Default: 60s.
        outage_wait: Length,
        /// Maximum number of characters of a tool result that the model sees at once. Default: 16000.
        page_chars: Whole<500, 1_000_000, u32>,
        /// Maximum number of tools that the model sees with their parameters. If there are more, it sees only their names.
        /// Default: 40.
        max_tool_schemas: Whole<1, 10_000, u32>,
    }
}

/// Reads a `limits` section. Missing keys take the values of `defaults`.
pub(crate) fn read(fields: &Fields<'_>, defaults: AgentLimits) -> AgentLimits {
    let keys = LimitsFields::FIELDS;
    let wait = fields.get(keys.rate_limit_wait);
    let rate_limit_wait = wait.unwrap_or(defaults.rate_limit_wait);
    let outage_wait = fields.get(keys.outage_wait).unwrap_or(defaults.outage_wait);
    let limits = AgentLimits {
        max_iterations: fields
            .get(keys.max_iterations)
            .unwrap_or(defaults.max_iterations),
        max_tool_calls: fields
            .get(keys.max_tool_calls)
            .unwrap_or(defaults.max_tool_calls),
        max_data_points: fields
            .get(keys.max_data_points)
            .unwrap_or(defaults.max_data_points),
        min_iterations_for_data_points: fields
            .get(keys.min_iterations_for_data_points)
            .unwrap_or(defaults.min_iterations_for_data_points),
        stage_timeout: fields
            .get(keys.stage_timeout)
            .unwrap_or(defaults.stage_timeout),
        llm_call_timeout: fields
            .get(keys.llm_call_timeout)
            .unwrap_or(defaults.llm_call_timeout),
        tool_call_timeout: fields
            .get(keys.tool_call_timeout)
            .unwrap_or(defaults.tool_call_timeout),
        conclusion_reserve: fields
            .get(keys.conclusion_reserve)
            .unwrap_or(defaults.conclusion_reserve),
        rate_limit_wait,
        outage_wait: outage_wait.min(rate_limit_wait),
        page_chars: fields.get(keys.page_chars).unwrap_or(defaults.page_chars),
        max_tool_schemas: fields
            .get(keys.max_tool_schemas)
            .unwrap_or(defaults.max_tool_schemas),
    };
    report_contradictions(&limits, fields);
    limits
}

fn report_contradictions(limits: &AgentLimits, fields: &Fields<'_>) {
    let keys = LimitsFields::FIELDS;
    let stage = limits.stage_timeout;
    for (key, value) in [
        (keys.llm_call_timeout, limits.llm_call_timeout),
        (keys.tool_call_timeout, limits.tool_call_timeout),
        (keys.conclusion_reserve, limits.conclusion_reserve),
    ] {
        if value > stage {
            fields.contradiction(
                &[key.name(), keys.stage_timeout.name()],
                format!("`{key}` ({value:?}) is longer than `stage_timeout` ({stage:?})"),
                "the stage ends at its timeout anyway",
            );
        }
    }
    if limits.min_iterations_for_data_points > limits.max_iterations {
        let keys = [
            keys.min_iterations_for_data_points.name(),
            keys.max_iterations.name(),
        ];
        fields.contradiction(
            &keys,
            format!(
                "`{}` ({}) is more than `{}` ({})",
                keys[0], limits.min_iterations_for_data_points, keys[1], limits.max_iterations
            ),
            "`max_data_points` would never apply",
        );
    }
}
