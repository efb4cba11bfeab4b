//! Finds unreachable MCP servers, from the newest calls of all workers.

use sqlx::PgConnection;

use crate::Error;

/// Number of newest calls that are read.
const NEWEST: i64 = 500;

/// A server whose tools could not be listed since its last successful answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachableServer {
    /// Name of the configured server.
    pub server: String,
    /// Error of the newest try.
    pub error: Option<String>,
    /// Number of failed tries since its last answer.
    pub tries: i64,
    /// Start of the first of these tries, in Unix microseconds.
    pub since_us: i64,
    /// Start of the last of these tries, in Unix microseconds.
    pub last_tried_us: i64,
}

/// Returns unreachable servers. Reads the newest 500 calls and tool lists, as far as they began after `since_us`.
pub async fn unreachable_servers(
    conn: &mut PgConnection,
    since_us: i64,
) -> Result<Vec<UnreachableServer>, Error> {
    Ok(sqlx::query_as!(
        UnreachableServer,
        r#"
        with newest as (
            select interaction_id, server_name, communication_type, success, refused, error_message, timestamp_us
            from mcp_interactions order by interaction_id desc limit $1
        )
        select server_name as server, (array_agg(error_message order by timestamp_us desc))[1] as error,
               count(*) as "tries!", min(timestamp_us) as "since_us!", max(timestamp_us) as "last_tried_us!"
        from newest n
        where communication_type = 'tool_list' and success is false and timestamp_us >= $2
          and not exists (select from newest answered where answered.server_name = n.server_name and answered.success
                          and answered.timestamp_us >= n.timestamp_us)
        group by server_name order by server_name
        "#,
        NEWEST,
        since_us,
    )
    .fetch_all(conn)
    .await?)
}
