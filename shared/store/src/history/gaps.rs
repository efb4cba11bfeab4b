//! Lists what an investigation could not see: MCP servers that were unreachable, and calls that were refused or
//! failed.

use sqlx::PgConnection;
use tarsy_model::{ExecutionId, SessionId};

use crate::Error;

/// Calls of one attempt of a stage that failed in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Attempt of the stage.
    pub execution_id: ExecutionId,
    /// `unreachable` (the server's tools could not be listed), `refused` (the call was not made) or `failed`.
    pub kind: String,
    /// MCP server.
    pub server: String,
    /// Name of the tool; `None` if the server was unreachable.
    pub tool: Option<String>,
    /// Number of calls.
    pub times: i64,
    /// Error of the last call.
    pub error: Option<String>,
}

/// Returns the gaps of all attempts of a session, in the order of their first occurrence.
pub async fn gaps(conn: &mut PgConnection, session_id: SessionId) -> Result<Vec<Gap>, Error> {
    Ok(sqlx::query_as!(
        Gap,
        r#"select stage_execution_id as "execution_id: ExecutionId", kind as "kind!", server_name as server,
                  tool_name as tool, count(*) as "times!",
                  (array_agg(error_message order by timestamp_us desc, sequence desc))[1] as error
           from (select *, case when communication_type = 'tool_list' then 'unreachable'
                                when refused then 'refused' else 'failed' end as kind
                 from mcp_interactions where session_id = $1 and success is false) wrong
           group by stage_execution_id, kind, server_name, tool_name
           order by min(timestamp_us), server_name, tool_name"#,
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?)
}
