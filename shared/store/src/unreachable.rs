//! Unreachable MCP servers, by the fleet's newest calls.

use sqlx::PgConnection;

use crate::Error;

/// Newest calls that are read.
const NEWEST: i64 = 500;

/// A server whose tools could not be listed since it last answered anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachableServer {
    /// The configured server.
    pub server: String,
    /// What the newest try failed with.
    pub error: Option<String>,
    /// Tries that failed since it last answered.
    pub tries: i64,
    /// When the first of them began, Unix microseconds.
    pub since_us: i64,
    /// When the last of them began, Unix microseconds.
    pub last_tried_us: i64,
}

/// Unreachable servers: of the newest 500 calls and tool lists, those since `since_us`.
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
