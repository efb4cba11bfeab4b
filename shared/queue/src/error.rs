use tarsy_model::ClaimRef;
use uuid::Uuid;

/// Errors of the queue.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has taken over the job, or the job has ended. Nothing was written. The holder of this claim
    /// must stop working on it.
    #[error("the claim on job {} (epoch {}) is lost", .0.job_id, .0.epoch)]
    ClaimLost(ClaimRef),
    /// Postgres refused the statement or could not be reached.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// No dead job has this id, or it no longer exists.
    #[error("no dead job has id {0}")]
    NoSuchDeadJob(Uuid),
    /// A dead job can't come back while a live one holds its unique key.
    #[error("a live job already holds the key `{0}`")]
    KeyTaken(String),
    /// The payload can't be serialised, or can't be parsed as its kind requires.
    #[error("invalid payload for the job's kind")]
    Payload(#[source] serde_json::Error),
    /// The URL of the direct connection is invalid.
    #[error("invalid direct database URL")]
    DirectUrl(#[source] tarsy_postgres::Error),
    /// The operating system could not create the lease thread.
    #[error("failed to start the lease thread")]
    Thread(#[source] std::io::Error),
    /// A batch of completions ended without an answer. Whether it took effect is unknown.
    #[error("a batch of completed jobs ended without an answer")]
    Batch(#[source] tarsy_coalesce::Error<Error>),
}
