//! What models and tools were used for: sums by hour, and what was spent.

mod rollup;

use sqlx::PgConnection;

pub use self::rollup::{count_ended_usage, count_late_usage, prune_usage};
use crate::Error;

/// What sums are grouped by.
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
    /// Tool, as `server.tool`; its calls have no tokens and no cost.
    Tool,
}

impl UsageBy {
    /// Every grouping.
    pub const ALL: [Self; 5] = [
        Self::Provider,
        Self::Model,
        Self::Chain,
        Self::Agent,
        Self::Tool,
    ];

    /// Its word in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Model => "model",
            Self::Chain => "chain",
            Self::Agent => "agent",
            Self::Tool => "tool",
        }
    }
}

/// Times that sums are asked for.
#[derive(Clone, Copy, Debug)]
pub struct UsageSpan {
    /// Start of the first hour, Unix microseconds.
    pub from_us: i64,
    /// End of the last hour.
    pub until_us: i64,
    /// Length of a step, whole hours.
    pub step_us: i64,
    /// Start of some step.
    pub step_origin_us: i64,
}

/// Sums of one group in one step.
#[derive(Clone, Debug)]
pub struct UsageRow {
    /// Start of the step.
    pub at_us: i64,
    /// The group; `None`: all that are beyond the largest groups, together.
    pub name: Option<String>,
    /// Calls.
    pub calls: i64,
    /// Of those, how many failed.
    pub failed: i64,
    /// Calls whose time is known.
    pub timed: i64,
    /// The sum of their times.
    pub duration_ms: i64,
    /// The longest time.
    pub max_duration_ms: i64,
    /// Prompt tokens.
    pub input_tokens: i64,
    /// Of those, read from the provider's cache.
    pub cached_tokens: i64,
    /// Answer tokens.
    pub output_tokens: i64,
    /// Estimated dollars of the calls that have a price.
    pub cost_usd: f64,
    /// Prompt and answer tokens of calls without a price.
    pub unpriced_tokens: i64,
    /// Answers whose tokens the provider did not count.
    pub uncounted_calls: i64,
    /// Where prices came from: `own`, `catalogue <date>`, `none`, `uncounted`.
    pub prices: Vec<String>,
}

/// Sums of calls, by group and step; the `most` groups that cost most, then those with most tokens and calls.
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

/// Calls of a model that no sum of costs holds.
#[derive(Clone, Debug)]
pub struct UnpricedModel {
    /// Provider that answered.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// Calls.
    pub calls: i64,
    /// Prompt tokens.
    pub input_tokens: i64,
    /// Answer tokens.
    pub output_tokens: i64,
    /// Of the calls, how many have no count of tokens.
    pub uncounted_calls: i64,
}

/// Models with calls that have no cost, those with most tokens first; at most 100.
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

/// Whether the ends of the last ten minutes are all that is not summed up: `false` for a while after the upgrade.
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

/// What a chain spent.
#[derive(Clone, Debug)]
pub struct ChainCost {
    /// Chain of the sessions.
    pub chain_id: String,
    /// Estimated dollars of the calls that have a price.
    pub cost_usd: f64,
}

/// What each chain has spent today (UTC).
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
