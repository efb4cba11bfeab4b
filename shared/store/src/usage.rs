//! Usage of models and tools: sums by hour, and spending.

mod rollup;

use sqlx::PgConnection;
use tarsy_model::words;

pub use self::rollup::{count_ended_usage, count_late_usage, prune_usage};
use crate::Error;

/// Grouping of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageBy {
    /// Provider that answered.
    Provider,
    /// Model that answered.
    Model,
    /// Chain of the session.
    Chain,
    /// Agent of the stage.
    Agent,
    /// Tool, as `server.tool`. Its calls have no tokens and no cost.
    Tool,
}

words!(UsageBy {
    Provider => "provider",
    Model => "model",
    Chain => "chain",
    Agent => "agent",
    Tool => "tool",
});

/// Period of the sums.
#[derive(Clone, Copy, Debug)]
pub struct UsageSpan {
    /// Start of the first hour, in Unix microseconds.
    pub from_us: i64,
    /// End of the last hour, in Unix microseconds.
    pub until_us: i64,
    /// Length of a step, in microseconds: whole hours.
    pub step_us: i64,
    /// Start of any step, in Unix microseconds. All steps are aligned to it.
    pub step_origin_us: i64,
}

/// Sums of one group in one step.
#[derive(Clone, Debug)]
pub struct UsageRow {
    /// Start of the step, in Unix microseconds.
    pub at_us: i64,
    /// Name of the group; `None` for the sum of all groups beyond the largest ones.
    pub name: Option<String>,
    /// Number of calls.
    pub calls: i64,
    /// Number of these that failed.
    pub failed: i64,
    /// Number of calls with a known duration.
    pub timed: i64,
    /// Sum of their durations.
    pub duration_ms: i64,
    /// Longest duration.
    pub max_duration_ms: i64,
    /// Input tokens.
    pub input_tokens: i64,
    /// Input tokens that were read from the provider's cache.
    pub cached_tokens: i64,
    /// Output tokens.
    pub output_tokens: i64,
    /// Estimated cost of the calls that have a price, in dollars.
    pub cost_usd: f64,
    /// Input and output tokens of calls without a price.
    pub unpriced_tokens: i64,
    /// Number of answers for which the provider reported no tokens.
    pub uncounted_calls: i64,
    /// Sources of the prices: `own`, `catalogue <date>`, `none`, `uncounted`.
    pub prices: Vec<String>,
}

/// Returns sums of calls, by group and step, for the `most` largest groups: by cost, then by tokens, then by calls.
pub async fn usage(
    conn: &mut PgConnection,
    span: UsageSpan,
    by: UsageBy,
    most: i64,
) -> Result<Vec<UsageRow>, Error> {
    let kind = match by {
        UsageBy::Tool => "tool",
        _ => "model",
    };
    Ok(sqlx::query_as!(
        UsageRow,
        r#"
        with used as materialized (
            select (hour_us - $1) / $2 * $2 + $1 as at_us,
                   case $3::text when 'provider' then provider when 'model' then model when 'chain' then chain_id
                        when 'agent' then regexp_replace(agent, '^((structured|dispatching|labelling|verifying)-agent:)+', '') else coalesce(nullif(provider, '') || '.', '') || model end as name,
                   price, sum(calls)::bigint as calls, sum(failed)::bigint as failed, sum(timed)::bigint as timed,
                   sum(duration_ms)::bigint as duration_ms, max(max_duration_ms) as max_duration_ms,
                   sum(input_tokens)::bigint as input_tokens, sum(cached_tokens)::bigint as cached_tokens,
                   sum(output_tokens)::bigint as output_tokens, sum(cost_usd) as cost_usd
            from usage_between($4, $5) where kind = $6
            group by 1, 2, 3
        ), largest as (
            select name as top from used group by name
            order by sum(cost_usd) desc, sum(input_tokens + output_tokens) desc, sum(calls) desc, name limit $7
        )
        select at_us as "at_us!", top as name, sum(calls)::bigint as "calls!", sum(failed)::bigint as "failed!",
               sum(timed)::bigint as "timed!", sum(duration_ms)::bigint as "duration_ms!", max(max_duration_ms) as "max_duration_ms!",
               sum(input_tokens)::bigint as "input_tokens!", sum(cached_tokens)::bigint as "cached_tokens!",
               sum(output_tokens)::bigint as "output_tokens!", sum(cost_usd) as "cost_usd!",
               coalesce(sum(input_tokens + output_tokens) filter (where price = 'none'), 0)::bigint as "unpriced_tokens!",
               coalesce(sum(calls) filter (where price = 'uncounted'), 0)::bigint as "uncounted_calls!",
               coalesce(array_agg(distinct price order by price) filter (where price <> ''), '{}') as "prices!"
        from used left join largest on top = name
        group by at_us, top order by at_us, top nulls last
        "#,
        span.step_origin_us,
        span.step_us,
        by.as_str(),
        span.from_us,
        span.until_us,
        kind,
        most,
    )
    .fetch_all(conn)
    .await?)
}

/// Calls of a model that no cost includes.
#[derive(Clone, Debug)]
pub struct UnpricedModel {
    /// Provider that answered.
    pub provider: String,
    /// Model that answered.
    pub model: String,
    /// Number of calls.
    pub calls: i64,
    /// Input tokens.
    pub input_tokens: i64,
    /// Output tokens.
    pub output_tokens: i64,
    /// Number of these calls without a token count.
    pub uncounted_calls: i64,
}

/// Returns models with calls without a cost, those with most tokens first; at most 100.
pub async fn unpriced_models(
    conn: &mut PgConnection,
    from_us: i64,
    until_us: i64,
) -> Result<Vec<UnpricedModel>, Error> {
    Ok(sqlx::query_as!(
        UnpricedModel,
        r#"select provider as "provider!", model as "model!", sum(calls)::bigint as "calls!",
                  sum(input_tokens)::bigint as "input_tokens!", sum(output_tokens)::bigint as "output_tokens!",
                  coalesce(sum(calls) filter (where price = 'uncounted'), 0)::bigint as "uncounted_calls!"
           from usage_between($1, $2) where kind = 'model' and price in ('none', 'uncounted')
           group by provider, model order by sum(input_tokens + output_tokens) desc, provider, model limit 100"#,
        from_us,
        until_us,
    )
    .fetch_all(conn)
    .await?)
}

/// Returns whether all sessions are summed up, except those that ended in the last ten minutes. `false` for a while
/// after the upgrade.
pub async fn usage_is_summed_up(conn: &mut PgConnection) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"select not exists (
               select from alert_sessions
               where completed_at_us > (select completed_at_us from usage_cursor) and completed_at_us <= now_us() - 600000000
           ) as "is_summed_up!""#
    )
    .fetch_one(conn)
    .await?)
}

/// Spending of a chain.
#[derive(Clone, Debug)]
pub struct ChainCost {
    /// Chain of the sessions.
    pub chain_id: String,
    /// Estimated cost of the calls that have a price, in dollars.
    pub cost_usd: f64,
}

/// Returns the spending of each chain today (UTC).
pub async fn spent_today(conn: &mut PgConnection) -> Result<Vec<ChainCost>, Error> {
    Ok(sqlx::query_as!(
        ChainCost,
        r#"select chain_id as "chain_id!", sum(cost_usd) as "cost_usd!"
           from usage_between((select now_us() / 86400000000 * 86400000000), 9223372036854775807)
           where kind = 'model' group by chain_id"#
    )
    .fetch_all(conn)
    .await?)
}
