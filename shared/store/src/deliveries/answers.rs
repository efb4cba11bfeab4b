//! Answers to questions that were asked in a Slack thread.

use sqlx::PgConnection;
use tarsy_model::SessionId;
use uuid::Uuid;

use crate::Error;

/// Event of a delivery that posts the answer to a question where it was asked.
pub const QUESTION_ANSWERED: &str = "question.answered";

/// Destination of the answer to a question.
#[derive(Clone, Copy, Debug)]
pub struct NewAnswer<'a> {
    /// Id of the delivery.
    pub delivery_id: Uuid,
    /// Session that answers the question.
    pub session_id: SessionId,
    /// Name of the target.
    pub target: &'a str,
    /// Slack thread in which the question was asked.
    pub thread: &'a str,
}

/// Inserts the delivery of an answer, in the transaction that accepts the question. It is not due until the session
/// has ended.
pub async fn insert_answer(conn: &mut PgConnection, answer: NewAnswer<'_>) -> Result<(), Error> {
    sqlx::query!(
        "with threaded as (
             insert into slack_threads (session_id, target, thread_ts) values ($1, $2, $3)
         )
         insert into webhook_deliveries (delivery_id, session_id, target, event) values ($4, $1, $2, $5)",
        answer.session_id.as_uuid(),
        answer.target,
        answer.thread,
        answer.delivery_id,
        QUESTION_ANSWERED,
    )
    .execute(conn)
    .await?;
    Ok(())
}
