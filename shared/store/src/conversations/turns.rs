//! Lists the questions of a conversation.

use sqlx::PgConnection;
use tarsy_model::{SessionId, SessionStatus};

use crate::Error;

/// Maximum number of turns that are listed, newest first.
pub const LONGEST_CONVERSATION: i64 = 200;

/// A question and its answer.
#[derive(Clone, Debug)]
pub struct TurnRecord {
    /// Session that answers the question.
    pub session_id: SessionId,
    /// Text of the question, as it was received.
    pub question: Option<String>,
    /// Name of the caller who asked.
    pub author: Option<String>,
    /// Status of that session.
    pub status: SessionStatus,
    /// Time when the question was asked, in Unix microseconds.
    pub started_at_us: i64,
    /// Time when the session ended, in Unix microseconds.
    pub completed_at_us: Option<i64>,
    /// The answer.
    pub final_analysis: Option<String>,
    /// Reason why there is no answer.
    pub error_message: Option<String>,
    /// Estimated cost of all model calls so far, in dollars.
    pub cost_usd: Option<f64>,
    /// Input tokens of all model calls so far.
    pub input_tokens: Option<i64>,
    /// Output tokens of all model calls so far.
    pub output_tokens: Option<i64>,
    /// Tool calls so far.
    pub tool_calls: i64,
}

/// Returns the newest [`LONGEST_CONVERSATION`] turns of a conversation, oldest first.
pub async fn turns(
    conn: &mut PgConnection,
    conversation_id: SessionId,
) -> Result<Vec<TurnRecord>, Error> {
    let mut turns = sqlx::query_as!(
        TurnRecord,
        r#"
        select s.session_id as "session_id: SessionId", s.alert_data ->> 'question' as question, s.author,
               s.status as "status: SessionStatus", s.started_at_us, s.completed_at_us, s.final_analysis, s.error_message,
               l.cost_usd, l.input_tokens, l.output_tokens, m.calls as "tool_calls!"
        from alert_sessions s
        cross join lateral (
            select sum(cost_usd) as cost_usd, sum(input_tokens)::bigint as input_tokens,
                   sum(output_tokens)::bigint as output_tokens
            from llm_interactions where session_id = s.session_id
        ) l
        cross join lateral (
            select count(*) as calls from mcp_interactions
            where session_id = s.session_id and communication_type = 'tool_call'
        ) m
        where s.conversation_id = $1
        order by s.started_at_us desc, s.session_id desc
        limit $2
        "#,
        conversation_id.as_uuid(),
        LONGEST_CONVERSATION,
    )
    .fetch_all(conn)
    .await?;
    turns.reverse();
    Ok(turns)
}
