//! Accepts questions about ended sessions.

use serde_json::json;
use serde_json::value::to_raw_value;
use sqlx::PgConnection;
use tarsy_failpoint::reached;
use tarsy_intake::{Error, Sender};
use tarsy_model::{
    ANSWER_REQUIREMENT, CHAIN_JOB, OperatorAction, SessionId, SessionStatus, chain_queue,
    priority_of,
};
use tarsy_queue::NewJob;
use tarsy_store::conversations::{NewQuestion, Subject};
use tarsy_store::deliveries::{DELIVERY_KIND, DELIVERY_QUEUE, NewAnswer};
use tarsy_store::events::NewEvent;
use uuid::Uuid;

use crate::access::Actor;
use crate::problem::{ConflictError, Problem};
use crate::server::audit::note;
use crate::server::operator_request::Reason;
use crate::server::state::AppState;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    /// Session that answers it.
    pub(crate) session_id: SessionId,
    /// Session that the question is about.
    pub(crate) conversation_id: SessionId,
    /// Whether the same request was accepted before.
    pub(crate) is_repeated: bool,
}

/// Slack thread that an answer is posted to, in addition to the session's page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerTo<'a> {
    /// Name of the Slack app's target.
    pub(crate) target: &'a str,
    /// The thread that the question was asked in.
    pub(crate) thread: &'a str,
}

/// Commits the session of a question with its chain job and audit entry. If the answer will be
/// posted, also commits its delivery.
///
/// # Errors
///
/// If the session is unknown or has not ended, if the conversation has an unanswered question, or
/// if the idempotency key was used for something else.
pub(crate) async fn ask(
    app: &AppState,
    actor: &Actor,
    sender: Sender,
    about: SessionId,
    text: String,
    answer_to: Option<AnswerTo<'_>>,
) -> Result<Accepted, Problem> {
    if !app.catalog.chains.has_provider() {
        return Err(Error::NoLlmProvider.into());
    }
    let mut tx = app.pool.begin().await?;
    let subject = tarsy_store::conversations::conversation_subject(&mut tx, about).await?;
    let subject = subject.ok_or(Problem::SessionNotFound)?;
    let conversation_id = subject.conversation_id;
    let repeated = async |conn: &mut PgConnection| {
        let Some(key) = &sender.idempotency_key else {
            return Ok(None);
        };
        match tarsy_store::conversations::question_of_key(conn, key).await? {
            Some(known) if known.is(conversation_id, &text) => Ok(Some(Accepted {
                session_id: known.session_id,
                conversation_id,
                is_repeated: true,
            })),
            Some(_) => Err(Problem::from(Error::IdempotencyKeyReused)),
            None => Ok(None),
        }
    };
    if let Some(accepted) = repeated(&mut tx).await? {
        return Ok(accepted);
    }
    if !subject.status.is_terminal() {
        return Err(ConflictError::SessionRunning(subject.status).into());
    }
    let question = question(app, &subject, &sender, &text)?;
    if !tarsy_store::conversations::insert_question(&mut tx, &question).await? {
        // Another request committed first: an earlier try of this one, or another question.
        let accepted = repeated(&mut tx).await?;
        return accepted.ok_or_else(|| ConflictError::QuestionRunning.into());
    }
    let session_id = question.session_id;
    let job = NewJob::new(chain_queue(), CHAIN_JOB, session_id.as_uuid())
        .priority(priority_of(&subject.severity))
        .traceparent(question.traceparent);
    tarsy_queue::enqueue(&mut tx, &[job]).await?;
    if let Some(to) = answer_to {
        deliver_answer(&mut tx, session_id, to).await?;
    }
    let pending = NewEvent::session_status(session_id, SessionStatus::Pending, None, None);
    tarsy_store::events::publish(&mut tx, &[pending]).await?;
    let details = json!({"question_session_id": session_id});
    let reason = Reason::not_stated();
    let action = OperatorAction::AskSession;
    note(&mut tx, actor, action, conversation_id, &reason, details).await?;
    reached("admin.ask.before_commit");
    tx.commit().await?;
    reached("admin.ask.after_commit");
    app.waker.wake(chain_queue());
    app.waker.wake_watchers();
    Ok(Accepted {
        session_id,
        conversation_id,
        is_repeated: false,
    })
}

/// Creates the delivery of an answer. It waits for the end of the session.
async fn deliver_answer(
    conn: &mut PgConnection,
    session_id: SessionId,
    to: AnswerTo<'_>,
) -> Result<(), Problem> {
    let delivery_id = Uuid::now_v7();
    let answer = NewAnswer {
        delivery_id,
        session_id,
        target: to.target,
        thread: to.thread,
    };
    tarsy_store::deliveries::insert_answer(conn, answer).await?;
    let job = NewJob::new(DELIVERY_QUEUE, DELIVERY_KIND, delivery_id)
        .unique_key(format!("delivery:{delivery_id}"))
        .requires(vec![ANSWER_REQUIREMENT.to_owned()]);
    tarsy_queue::enqueue(conn, &[job]).await?;
    Ok(())
}

fn question(
    app: &AppState,
    subject: &Subject,
    sender: &Sender,
    text: &str,
) -> Result<NewQuestion, Problem> {
    let chain = app.catalog.plans().follow_up(&subject.chain);
    let chain = chain.ok_or(ConflictError::NoAgent)?;
    Ok(NewQuestion {
        session_id: SessionId::generate(),
        conversation_id: subject.conversation_id,
        text: text.to_owned(),
        author: sender.author.clone(),
        idempotency_key: sender.idempotency_key.clone(),
        chain_definition: to_raw_value(&chain).map_err(|error| Problem::Internal(error.into()))?,
        traceparent: sender.traceparent.clone(),
    })
}
