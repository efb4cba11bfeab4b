//! Conversations: questions about an ended session, and their answers.

mod context;
mod turns;

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_chain::ChainDefinition;
use tarsy_model::{SessionId, SessionStatus};
use uuid::Uuid;

use crate::Error;

pub use context::{FollowUpContext, follow_up_context};
pub use turns::{LONGEST_CONVERSATION, TurnRecord, turns};

/// The session that a conversation is about. It is locked against replays until the end of the transaction.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Id of the session, which is also the id of the conversation.
    pub conversation_id: SessionId,
    /// Current status of the session.
    pub status: SessionStatus,
    /// Chain that the session was accepted with.
    pub chain: ChainDefinition,
    /// Severity of the alert, which determines the priority of the question's job.
    pub severity: String,
}

/// A question to accept.
#[derive(Clone, Debug)]
pub struct NewQuestion {
    /// Session that answers the question.
    pub session_id: SessionId,
    /// Session that the question is about.
    pub conversation_id: SessionId,
    /// Text of the question.
    pub text: String,
    /// Name of the caller who asks.
    pub author: String,
    /// Idempotency key of the request, if any.
    pub idempotency_key: Option<String>,
    /// Chain that answers the question. It has one stage.
    pub chain_definition: Box<RawValue>,
    /// W3C trace context of the request.
    pub traceparent: Option<String>,
}

/// A question that was already accepted under the same idempotency key.
#[derive(Clone, Debug)]
pub struct KnownQuestion {
    /// Session that answers the question.
    pub session_id: SessionId,
    conversation_id: Option<Uuid>,
    alert_data: Value,
}

impl KnownQuestion {
    /// Returns whether it is this question. If not, the key was used for something else.
    #[must_use]
    pub fn is(&self, conversation_id: SessionId, text: &str) -> bool {
        self.conversation_id == Some(conversation_id.as_uuid())
            && self.alert_data["question"].as_str() == Some(text)
    }

    /// Returns whether it is this question to the knowledge store.
    #[must_use]
    pub fn is_for_knowledge(
        &self,
        conversation_id: Option<SessionId>,
        question: &str,
        searched: &Searched<'_>,
    ) -> bool {
        let wanted = conversation_id.unwrap_or(self.session_id);
        let names = self.alert_data["collections"].as_array();
        self.is(wanted, question)
            && names.is_some_and(|names| {
                names
                    .iter()
                    .filter_map(Value::as_str)
                    .eq(searched.collection)
            })
            && match &self.alert_data["filters"] {
                // The question is from a version without filters.
                Value::Null => searched.filters.is_empty(),
                filters => *filters == json!(searched.filters),
            }
    }
}

/// Scope of a question to the knowledge store.
#[derive(Clone, Copy, Debug)]
pub struct Searched<'a> {
    /// Name of the collection; `None`: all collections.
    pub collection: Option<&'a str>,
    /// Required values, by field.
    pub filters: &'a BTreeMap<String, Vec<String>>,
}

/// Finds the session that a question to `session_id` is about: that session itself, or the one that it asks about if
/// it is a question.
///
/// Takes a shared lock. Questions and replays wait for each other, but questions don't wait for other questions.
///
/// # Errors
///
/// [`Error::Database`], [`Error::Decode`].
pub async fn conversation_subject(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<Subject>, Error> {
    let row = sqlx::query!(
        r#"select session_id as "session_id: SessionId", status as "status: SessionStatus", severity,
                  chain_definition as "chain: Json<ChainDefinition>"
           from alert_sessions
           where session_id = (select coalesce(conversation_id, session_id) from alert_sessions where session_id = $1)
           for share"#,
        session_id.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Subject {
        conversation_id: row.session_id,
        status: row.status,
        chain: row.chain.0,
        severity: row.severity,
    }))
}

/// Returns the session whose conversation `session_id` belongs to, and its status. Takes no lock.
pub async fn conversation_of(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<(SessionId, SessionStatus)>, Error> {
    let row = sqlx::query!(
        r#"select session_id as "session_id: SessionId", status as "status: SessionStatus" from alert_sessions
           where session_id = (select coalesce(conversation_id, session_id) from alert_sessions where session_id = $1)"#,
        session_id.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| (row.session_id, row.status)))
}

/// Returns the session that was accepted under an idempotency key.
pub async fn question_of_key(
    conn: &mut PgConnection,
    idempotency_key: &str,
) -> Result<Option<KnownQuestion>, Error> {
    Ok(sqlx::query_as!(
        KnownQuestion,
        r#"select session_id as "session_id: SessionId", conversation_id, alert_data from alert_sessions
           where idempotency_key = $1"#,
        idempotency_key,
    )
    .fetch_optional(conn)
    .await?)
}

/// Inserts the session of a question. Returns false if the conversation already has a live question, or if the key was
/// used before.
///
/// The fingerprint is derived from the conversation, so the unique index over live fingerprints allows one live
/// question at a time. The caller must still enqueue the chain job.
pub async fn insert_question(
    conn: &mut PgConnection,
    question: &NewQuestion,
) -> Result<bool, Error> {
    let inserted = sqlx::query!(
        r#"
        insert into alert_sessions
            (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, author, fingerprint,
             idempotency_key, chain_id, chain_definition, traceparent, conversation_id, parent_session_id)
        select $1, $2, alert_type, jsonb_build_object('question', $3::text), severity, now_us(), 'follow-up', $4,
               'conversation:' || session_id, $5, $6, $7, $8, session_id, session_id
        from alert_sessions where session_id = $9
        on conflict do nothing
        "#,
        question.session_id.as_uuid(),
        Uuid::now_v7(),
        question.text,
        question.author,
        question.idempotency_key,
        tarsy_model::FOLLOW_UP_CHAIN,
        Json(&question.chain_definition) as Json<&Box<RawValue>>,
        question.traceparent,
        question.conversation_id.as_uuid(),
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected() > 0)
}
