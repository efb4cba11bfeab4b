//! Stored summaries of evaluations.

use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// A stored summary of an evaluation.
#[derive(Clone, Debug)]
pub struct KeptEvaluation {
    /// Id of the evaluation.
    pub evaluation_id: Uuid,
    /// Time when it was stored, in Unix microseconds.
    pub kept_at_us: i64,
    /// Name of the caller who sent it.
    pub author: String,
    /// Name of the evaluation, 1 to 200 characters.
    pub name: String,
    /// Figures, as sent to the API.
    pub summary: Value,
}

/// Stores a summary.
pub async fn keep_evaluation(
    conn: &mut PgConnection,
    evaluation_id: Uuid,
    author: &str,
    name: &str,
    summary: &Value,
) -> Result<KeptEvaluation, Error> {
    Ok(sqlx::query_as!(
        KeptEvaluation,
        "insert into evaluations (evaluation_id, author, name, summary) values ($1, $2, $3, $4)
         returning evaluation_id, kept_at_us, author, name, summary",
        evaluation_id,
        author,
        name,
        summary,
    )
    .fetch_one(conn)
    .await?)
}

/// Returns the newest `limit` summaries, newest first.
pub async fn kept_evaluations(
    conn: &mut PgConnection,
    limit: i64,
) -> Result<Vec<KeptEvaluation>, Error> {
    Ok(sqlx::query_as!(
        KeptEvaluation,
        "select evaluation_id, kept_at_us, author, name, summary from evaluations
         order by kept_at_us desc, evaluation_id desc limit $1",
        limit,
    )
    .fetch_all(conn)
    .await?)
}
