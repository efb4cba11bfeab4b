//! Accepts questions to the knowledge store.

pub(crate) mod handlers;
mod memory;
pub(crate) mod stream;
pub(crate) mod trace;

use std::collections::BTreeMap;

use serde_json::json;
use tarsy_failpoint::reached;
use tarsy_intake::{Error, Sender};
use tarsy_model::{CHAIN_JOB, OperatorAction, SessionId, SessionStatus, chain_queue, priority_of};
use tarsy_queue::NewJob;
use tarsy_store::conversations::Searched;
use tarsy_store::events::NewEvent;
use tarsy_store::knowledge_questions::NewKnowledgeQuestion;

use crate::access::Actor;
use crate::problem::{ConflictError, Problem};
use crate::questions::conversation::Accepted;
use crate::server::audit::note;
use crate::server::operator_request::Reason;
use crate::server::state::AppState;
use memory::Remembered;

/// A question to the knowledge store.
#[derive(Debug)]
pub(crate) struct KnowledgeQuestion {
    pub(crate) text: String,
    /// Collection to search; `None` searches all.
    pub(crate) collection: Option<String>,
    /// Values that fields must have, by field.
    pub(crate) filters: BTreeMap<String, Vec<String>>,
    /// A session of the conversation that it continues.
    pub(crate) conversation: Option<SessionId>,
    /// Whether the chain's last stage explains how the answer was produced.
    pub(crate) debug: bool,
}

impl KnowledgeQuestion {
    /// Returns what to search, in the form of `alert.data`.
    fn searched(&self) -> Searched<'_> {
        Searched {
            collection: self.collection.as_deref(),
            filters: &self.filters,
        }
    }
}

/// Commits the session of a question with its chain job and its audit entry.
///
/// # Errors
///
/// If no store is configured, if the conversation is unknown or has an unanswered question, or if
/// the idempotency key was used for something else.
pub(crate) async fn ask(
    app: &AppState,
    actor: &Actor,
    sender: Sender,
    question: KnowledgeQuestion,
) -> Result<Accepted, Problem> {
    let chain = app.catalog.knowledge().ok_or(Problem::KnowledgeDisabled)?;
    if !app.catalog.chains.has_provider() {
        return Err(Error::NoLlmProvider.into());
    }
    let mut tx = app.pool.begin().await?;
    let session_id = SessionId::generate();
    let known = match question.conversation {
        None => None,
        Some(id) => {
            let known =
                tarsy_store::knowledge_questions::knowledge_conversation(&mut tx, id).await?;
            Some(known.ok_or(Problem::SessionNotFound)?)
        }
    };
    let repeated = async |conn: &mut sqlx::PgConnection| {
        let Some(key) = &sender.idempotency_key else {
            return Ok(None);
        };
        match tarsy_store::conversations::question_of_key(conn, key).await? {
            Some(same) if same.is_for_knowledge(known, &question.text, &question.searched()) => {
                Ok(Some(Accepted {
                    session_id: same.session_id,
                    conversation_id: known.unwrap_or(same.session_id),
                    is_repeated: true,
                }))
            }
            Some(_) => Err(Problem::from(Error::IdempotencyKeyReused)),
            None => Ok(None),
        }
    };
    if let Some(accepted) = repeated(&mut tx).await? {
        return Ok(accepted);
    }
    let remembered = match known {
        None => Remembered::default(),
        Some(id) => {
            let memory =
                tarsy_store::knowledge_memory::knowledge_memory(&mut tx, id, memory::STAGE).await?;
            Remembered::from_memory(memory)
        }
    };
    let conversation_id = known.unwrap_or(session_id);
    let row = NewKnowledgeQuestion {
        session_id,
        conversation_id,
        data: json!({
            "question": question.text,
            "collections": question.collection.iter().collect::<Vec<_>>(),
            "filters": question.filters,
            "history": remembered.history,
            "summary": remembered.summary,
            "summarize": remembered.summarize,
            "summarize_until": remembered.summarize_until,
            "debug": question.debug,
        }),
        author: sender.author.clone(),
        idempotency_key: sender.idempotency_key.clone(),
        chain_definition: chain.definition.clone(),
        traceparent: sender.traceparent.clone(),
    };
    if !tarsy_store::knowledge_questions::insert_knowledge_question(&mut tx, &row).await? {
        // Another request committed first: an earlier try of this one, or another question.
        let accepted = repeated(&mut tx).await?;
        return accepted.ok_or_else(|| ConflictError::QuestionRunning.into());
    }
    let job = NewJob::new(chain_queue(), CHAIN_JOB, session_id.as_uuid())
        .priority(priority_of("medium"))
        .traceparent(row.traceparent);
    tarsy_queue::enqueue(&mut tx, &[job]).await?;
    let pending = NewEvent::session_status(session_id, SessionStatus::Pending, None, None);
    tarsy_store::events::publish(&mut tx, &[pending]).await?;
    let details = json!({"question_session_id": session_id});
    let (reason, action) = (Reason::not_stated(), OperatorAction::AskSession);
    note(&mut tx, actor, action, conversation_id, &reason, details).await?;
    reached("admin.ask_knowledge.before_commit");
    tx.commit().await?;
    reached("admin.ask_knowledge.after_commit");
    app.waker.wake(chain_queue());
    app.waker.wake_watchers();
    Ok(Accepted {
        session_id,
        conversation_id,
        is_repeated: false,
    })
}
