//! Questions to the knowledge store (sessions of the chain `knowledge`) and their answers.
//!
//! All questions of a conversation contain the id of its first question, including the first one itself.

use serde_json::Value;
use serde_json::value::RawValue;
use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_model::{KNOWLEDGE_CHAIN, SessionId, SessionStatus, StageStatus};
use uuid::Uuid;

use crate::Error;

/// A question to accept.
#[derive(Clone, Debug)]
pub struct NewKnowledgeQuestion {
    /// Session that answers the question.
    pub session_id: SessionId,
    /// First session of the conversation. In a new conversation it equals `session_id`.
    pub conversation_id: SessionId,
    /// Data that the chain reads as `alert.data`.
    pub data: Value,
    /// Name of the caller who asks.
    pub author: String,
    /// Idempotency key of the request, if any.
    pub idempotency_key: Option<String>,
    /// Definition of the chain `knowledge`, resolved.
    pub chain_definition: Box<RawValue>,
    /// W3C trace context of the request.
    pub traceparent: Option<String>,
}

/// A question and the state of its answer.
#[derive(Clone, Debug)]
pub struct KnowledgeAnswer {
    /// Session that answers the question.
    pub session_id: SessionId,
    /// First session of the conversation.
    pub conversation_id: SessionId,
    /// Text of the question, as it was received.
    pub question: Option<String>,
    /// Status of the session.
    pub status: SessionStatus,
    /// The answer, masked when it was stored.
    pub answer: Option<String>,
    /// Reason why there is no answer.
    pub error_message: Option<String>,
    /// Output of the stage that checks citations.
    pub checked: Option<Value>,
    /// Whether the request asked for the trace.
    pub debug: bool,
}

/// A stage of a question, for its trace.
#[derive(Clone, Debug)]
pub struct TracedStage {
    /// Name of the stage in the chain.
    pub name: String,
    /// Current status of the stage.
    pub status: StageStatus,
    /// Duration of the stage, in ms.
    pub duration_ms: Option<i64>,
    /// Input tokens.
    pub input_tokens: Option<i64>,
    /// Output tokens.
    pub output_tokens: Option<i64>,
    /// Estimated cost in dollars.
    pub cost_usd: Option<f64>,
    /// Reason why the stage failed or was skipped.
    pub error_message: Option<String>,
    /// Data of the stage, if requested; masked when it was stored.
    pub data: Option<Value>,
}

/// Returns the conversation of a question, and locks the question against deletion until the end of the transaction.
/// Returns `None` if `session_id` is not a question to the knowledge store.
pub async fn knowledge_conversation(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<SessionId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"select coalesce(conversation_id, session_id) as "id!: SessionId" from alert_sessions
           where session_id = $1 and chain_id = $2 for share"#,
        session_id.as_uuid(),
        KNOWLEDGE_CHAIN,
    )
    .fetch_optional(conn)
    .await?)
}

/// Inserts the session of a question. Returns false if the conversation already has a live question, or if the key was
/// used before. The caller must still enqueue the chain job.
pub async fn insert_knowledge_question(
    conn: &mut PgConnection,
    question: &NewKnowledgeQuestion,
) -> Result<bool, Error> {
    let parent = question.conversation_id.as_uuid();
    let parent = (question.conversation_id != question.session_id).then_some(parent);
    let inserted = sqlx::query!(
        r#"
        insert into alert_sessions
            (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, author, fingerprint,
             idempotency_key, chain_id, chain_definition, traceparent, conversation_id, parent_session_id)
        values ($1, $2, $3, $4, 'medium', now_us(), 'ask', $5, $6, $7, $3, $8, $9, $10, $11)
        on conflict do nothing
        "#,
        question.session_id.as_uuid(),
        Uuid::now_v7(),
        KNOWLEDGE_CHAIN,
        question.data,
        question.author,
        format!("ask:{}", question.conversation_id),
        question.idempotency_key,
        Json(&question.chain_definition) as Json<&Box<RawValue>>,
        question.traceparent,
        question.conversation_id.as_uuid(),
        parent,
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected() > 0)
}

/// Returns a question with its answer, as far as it exists. `stage` is the name of the stage that checks citations.
pub async fn knowledge_answer(
    conn: &mut PgConnection,
    session_id: SessionId,
    stage: &str,
) -> Result<Option<KnowledgeAnswer>, Error> {
    Ok(sqlx::query_as!(
        KnowledgeAnswer,
        r#"
        select s.session_id as "session_id: SessionId", coalesce(s.conversation_id, s.session_id) as "conversation_id!: SessionId",
               s.alert_data ->> 'question' as question, s.status as "status: SessionStatus", s.final_analysis as answer,
               s.error_message, coalesce(s.alert_data -> 'debug' = 'true'::jsonb, false) as "debug!",
               (select e.stage_output -> 'data' from stage_executions e
                where e.session_id = s.session_id and e.stage_name = $1 and e.status = 'completed'
                order by e.attempt desc limit 1) as checked
        from alert_sessions s
        where s.session_id = $2 and s.chain_id = $3
        "#,
        stage,
        session_id.as_uuid(),
        KNOWLEDGE_CHAIN,
    )
    .fetch_optional(conn)
    .await?)
}

/// Returns the newest attempts of a question's stages, in order, with the data of the stages named in `shown`.
pub async fn knowledge_trace(
    conn: &mut PgConnection,
    session_id: SessionId,
    shown: &[&str],
) -> Result<Vec<TracedStage>, Error> {
    Ok(sqlx::query_as!(
        TracedStage,
        r#"
        select distinct on (stage_index) stage_name as name, status as "status: StageStatus", duration_ms, input_tokens,
               output_tokens, cost_usd, error_message,
               case when stage_name = any($1::text[]) then stage_output -> 'data' end as data
        from stage_executions where session_id = $2
        order by stage_index, attempt desc
        "#,
        shown as &[&str],
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?)
}
