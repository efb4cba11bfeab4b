//! Memory of a conversation with the knowledge store: a summary of its beginning, and the turns since then.

use sqlx::PgConnection;
use tarsy_model::{EarlierTurn, SessionId};

use crate::Error;

/// Maximum number of turns that are read, newest first.
const TURNS: i64 = 40;
/// Maximum length of the part of an earlier answer that is read, in characters.
const ANSWER_CHARS: i32 = 2_000;

/// Memory of a conversation.
#[derive(Clone, Debug, Default)]
pub struct KnowledgeMemory {
    /// Summary of all turns before the oldest of `turns`.
    pub summary: Option<String>,
    /// Ended questions since then, newest first, with their sessions.
    pub turns: Vec<(SessionId, EarlierTurn)>,
}

/// Returns the newest summary of a conversation, and the questions that have ended since then. `stage` is the name of
/// the stage that summarises.
///
/// Only the summary of a completed stage counts. If the stage failed, its turns are read again.
pub async fn knowledge_memory(
    conn: &mut PgConnection,
    conversation_id: SessionId,
    stage: &str,
) -> Result<KnowledgeMemory, Error> {
    let newest = sqlx::query!(
        r#"
        select e.stage_output -> 'data' ->> 'summary' as summary, s.alert_data ->> 'summarize_until' as until
        from alert_sessions s join stage_executions e on e.session_id = s.session_id
        where s.conversation_id = $1 and e.stage_name = $2 and e.status = 'completed'
        order by s.started_at_us desc, s.session_id desc, e.attempt desc
        limit 1
        "#,
        conversation_id.as_uuid(),
        stage,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let newest = newest.and_then(|row| Some((row.summary?, row.until?.parse().ok()?)));
    let (summary, until): (_, Option<SessionId>) = newest.unzip();
    let rows = sqlx::query!(
        r#"
        select session_id as "session_id: SessionId", coalesce(alert_data ->> 'question', '') as "question!",
               left(final_analysis, $1) as answer
        from alert_sessions
        where conversation_id = $2 and completed_at_us is not null
          and started_at_us > coalesce((select u.started_at_us from alert_sessions u where u.session_id = $3), 0)
        order by started_at_us desc, session_id desc
        limit $4
        "#,
        ANSWER_CHARS,
        conversation_id.as_uuid(),
        until.map(SessionId::as_uuid),
        TURNS,
    )
    .fetch_all(conn)
    .await?;
    let turns = rows.into_iter().map(|row| {
        let (question, answer) = (row.question, row.answer);
        (row.session_id, EarlierTurn { question, answer })
    });
    let turns = turns.collect();
    Ok(KnowledgeMemory { summary, turns })
}
