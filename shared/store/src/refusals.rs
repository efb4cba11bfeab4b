//! Finds LLM providers that fail every call, from the newest model calls of all workers.

use sqlx::PgConnection;

use crate::Error;

/// Number of newest model calls that are read.
const NEWEST: i64 = 500;
/// Number of consecutive failures that count as a refusal. A missing or wrong key counts at once.
const IN_A_ROW: i64 = 3;

/// A provider whose newest calls all failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusingProvider {
    /// Name of the configured provider.
    pub provider: String,
    /// Error class of the newest call, e.g. `auth` or `rate_limited`.
    pub class: String,
    /// Number of model calls that failed since its last answer.
    pub calls: i64,
    /// Start of the first of these calls, in Unix microseconds.
    pub since_us: i64,
    /// Start of the newest of these calls, in Unix microseconds.
    pub last_us: i64,
}

/// Returns providers that refuse all calls. Since their last answer they either rejected the key, or failed three
/// model calls in a row for a reason other than the request. Reads the newest 500 calls, as far as they began after
/// `since_us`.
///
/// Calls of a fallback provider are recorded as attempts of the call to the first provider.
pub async fn refusing_providers(
    conn: &mut PgConnection,
    since_us: i64,
) -> Result<Vec<RefusingProvider>, Error> {
    Ok(sqlx::query_as!(
        RefusingProvider,
        r#"
        with newest as (
            select interaction_id, provider, success, error_class, attempts, timestamp_us
            from llm_interactions order by interaction_id desc limit $1
        ), tried as (
            select coalesce(a.attempt ->> 'provider', n.provider) as provider,
                   case when n.attempts is null then n.error_class else a.attempt ->> 'class' end as class,
                   n.timestamp_us, n.interaction_id, a.number
            from newest n
            cross join lateral jsonb_array_elements(
                case when jsonb_typeof(n.attempts) = 'array' then n.attempts else '[{}]' end)
                with ordinality a (attempt, number)
            where n.success is not null and n.timestamp_us >= $2
        ), failed as (
            select * from tried t
            where class in ('auth', 'not_configured', 'rate_limited', 'overloaded', 'server_error', 'timeout', 'connection',
                            'malformed', 'invalid_request')
              and not exists (select from tried answered where answered.provider = t.provider and answered.class is null
                              and answered.timestamp_us >= t.timestamp_us)
        )
        select provider as "provider!", (array_agg(class order by timestamp_us desc, number desc))[1] as "class!",
               count(distinct interaction_id) as "calls!", min(timestamp_us) as "since_us!", max(timestamp_us) as "last_us!"
        from failed group by provider
        having count(distinct interaction_id) >= $3
            or bool_or(class in ('auth', 'not_configured'))
        order by provider
        "#,
        NEWEST,
        since_us,
        IN_A_ROW,
    )
    .fetch_all(conn)
    .await?)
}
