//! Recent success of calls to LLM providers and MCP servers. The newest calls are found by their ids, which are
//! UUIDv7, so this is as fast with a year of history as with a day.

use serde::Serialize;
use sqlx::PgConnection;

use crate::Error;

/// Number of newest calls of each kind that are read. A row takes about a kilobyte.
const NEWEST: i64 = 5_000;

/// Calls of one provider or MCP server.
#[derive(Clone, Debug, Serialize)]
pub struct Calls {
    /// The provider's or server's name.
    #[serde(skip)]
    pub name: String,
    /// Calls since the start of the period.
    pub calls: i64,
    /// Calls of these that failed. Refused tool calls are not counted at all, because they never reached the server.
    pub failed: i64,
    /// Median duration of the calls that ended, in ms.
    pub p50_ms: Option<i64>,
    /// 95th percentile of the duration, in ms.
    pub p95_ms: Option<i64>,
    /// Start of the newest call, in Unix microseconds. May be before the period.
    pub last_call_us: i64,
    /// Start of the newest successful call, in Unix microseconds.
    pub last_success_us: Option<i64>,
    /// Start of the newest failed call, in Unix microseconds.
    pub last_failure_us: Option<i64>,
    /// Error of the newest failed call.
    pub last_error: Option<String>,
    /// Models that answered, or tools that were called.
    pub used: Vec<String>,
}

/// Returns the calls of each provider among the newest 5,000, counted since `since_us`.
pub async fn model_calls(conn: &mut PgConnection, since_us: i64) -> Result<Vec<Calls>, Error> {
    Ok(sqlx::query_as!(
        Calls,
        r#"select provider as name, count(*) filter (where timestamp_us >= $1) as "calls!",
                  count(*) filter (where timestamp_us >= $1 and success is false) as "failed!",
                  percentile_disc(0.5) within group (order by duration_ms) filter (where timestamp_us >= $1) as p50_ms,
                  percentile_disc(0.95) within group (order by duration_ms) filter (where timestamp_us >= $1) as p95_ms,
                  max(timestamp_us) as "last_call_us!", max(timestamp_us) filter (where success) as last_success_us,
                  max(timestamp_us) filter (where success is false) as last_failure_us,
                  (array_agg(coalesce(error_message, error_class) order by timestamp_us desc) filter (where success is false))[1] as last_error,
                  array_agg(distinct coalesce(answered_by, model_name)) as "used!"
           from (select provider, model_name, answered_by, timestamp_us, duration_ms, success, error_class, error_message
                 from llm_interactions order by interaction_id desc limit $2) newest
           group by provider order by provider"#,
        since_us,
        NEWEST,
    )
    .fetch_all(conn)
    .await?)
}

/// Returns the calls of each MCP server among the newest 5,000, counted since `since_us`.
pub async fn server_calls(conn: &mut PgConnection, since_us: i64) -> Result<Vec<Calls>, Error> {
    Ok(sqlx::query_as!(
        Calls,
        r#"select server_name as name, count(*) filter (where timestamp_us >= $1) as "calls!",
                  count(*) filter (where timestamp_us >= $1 and success is false) as "failed!",
                  percentile_disc(0.5) within group (order by duration_ms) filter (where timestamp_us >= $1) as p50_ms,
                  percentile_disc(0.95) within group (order by duration_ms) filter (where timestamp_us >= $1) as p95_ms,
                  max(timestamp_us) as "last_call_us!", max(timestamp_us) filter (where success) as last_success_us,
                  max(timestamp_us) filter (where success is false) as last_failure_us,
                  (array_agg(error_message order by timestamp_us desc) filter (where success is false))[1] as last_error,
                  coalesce(array_agg(distinct tool_name) filter (where tool_name is not null), '{}') as "used!"
           from (select server_name, tool_name, timestamp_us, duration_ms, success, error_message, refused
                 from mcp_interactions order by interaction_id desc limit $2) newest
           where not refused group by server_name order by server_name"#,
        since_us,
        NEWEST,
    )
    .fetch_all(conn)
    .await?)
}

/// Calls of one MCP server by the workers of one pool.
#[derive(Clone, Debug)]
pub struct PoolCalls {
    /// The pool's name.
    pub pool: String,
    /// The server's name.
    pub server: String,
    /// Calls since the start of the period.
    pub calls: i64,
    /// Calls of these that failed.
    pub failed: i64,
    /// Start of the newest successful call, in Unix microseconds. May be before the period.
    pub last_success_us: Option<i64>,
    /// Start of the newest failed call, in Unix microseconds.
    pub last_failure_us: Option<i64>,
    /// Error of the newest failed call.
    pub last_error: Option<String>,
}

/// Returns the calls of each MCP server from each pool among the newest 5,000, counted since `since_us`.
pub async fn pool_calls(conn: &mut PgConnection, since_us: i64) -> Result<Vec<PoolCalls>, Error> {
    Ok(sqlx::query_as!(
        PoolCalls,
        r#"select e.pool, n.server_name as server, count(*) filter (where n.timestamp_us >= $1) as "calls!",
                  count(*) filter (where n.timestamp_us >= $1 and n.success is false) as "failed!",
                  max(n.timestamp_us) filter (where n.success) as last_success_us,
                  max(n.timestamp_us) filter (where n.success is false) as last_failure_us,
                  (array_agg(n.error_message order by n.timestamp_us desc) filter (where n.success is false))[1] as last_error
           from (select stage_execution_id, server_name, timestamp_us, success, error_message, refused
                 from mcp_interactions order by interaction_id desc limit $2) n
           join stage_executions e on e.execution_id = n.stage_execution_id
           where not n.refused group by e.pool, n.server_name order by e.pool, n.server_name"#,
        since_us,
        NEWEST,
    )
    .fetch_all(conn)
    .await?)
}
