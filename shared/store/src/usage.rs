//! What a stage has used, summed up from the record of its calls.

use sqlx::PgConnection;
use tarsy_model::{Cost, CostCompleteness, ExecutionId, TokenUsage};

use crate::{Error, StageUsage};

/// Sums over all finished calls of a stage execution, so that what an earlier worker used counts
/// too. Reads no texts.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn stage_usage(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
) -> Result<StageUsage, Error> {
    let row = sqlx::query!(
        r#"
        select coalesce(max(iteration), 0) as "iterations!",
               count(success) as "calls!",
               count(*) filter (where f.counted) as "counted!",
               coalesce(sum(input_tokens) filter (where f.counted), 0)::bigint as "input!",
               coalesce(sum(output_tokens) filter (where f.counted), 0)::bigint as "output!",
               coalesce(sum(cached_tokens) filter (where f.counted), 0)::bigint as "cached!",
               coalesce(sum(reasoning_tokens) filter (where f.counted), 0)::bigint as "reasoning!",
               count(cost_usd) filter (where success is not null) as "priced!",
               coalesce(sum(cost_usd) filter (where success is not null), 0) as "usd!"
        from llm_interactions
        cross join lateral (
            select success is not null and input_tokens is not null and output_tokens is not null as counted) f
        where stage_execution_id = $1
        "#,
        execution_id.as_uuid(),
    )
    .fetch_one(conn)
    .await?;
    let tokens = TokenUsage {
        input_tokens: row.input,
        output_tokens: row.output,
        cached_tokens: row.cached,
        reasoning_tokens: row.reasoning,
    };
    let completeness = match row.priced {
        0 => CostCompleteness::None,
        priced if priced == row.calls => CostCompleteness::Complete,
        _ => CostCompleteness::Partial,
    };
    Ok(StageUsage {
        iterations: row.iterations,
        tokens: (row.counted > 0).then_some(tokens),
        cost: Cost {
            usd: row.usd,
            completeness,
        },
    })
}
