use tarsy_model::ClaimRef;
use uuid::Uuid;

/// What can go wrong when talking to the queue.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has taken the job over, or it has ended: nothing was written, and
    /// whoever holds this claim must stop working on it.
    #[error("the claim on job {} (epoch {}) is lost", .0.job_id, .0.epoch)]
    ClaimLost(ClaimRef),
    /// Postgres refused or could not be reached.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// No dead job has this id (any more).
    #[error("no dead job has id {0}")]
    NoSuchDeadJob(Uuid),
    /// A dead job can't come back while a live one holds its unique key.
    #[error("a live job already holds the key `{0}`")]
    KeyTaken(String),
    /// A payload that doesn't serialise, or doesn't parse as what its kind asks for.
    #[error("invalid payload for the job's kind")]
    Payload(#[source] serde_json::Error),
    /// The direct connection's URL can't be used.
    #[error("invalid direct database URL")]
    DirectUrl(#[source] tarsy_postgres::Error),
    /// The operating system gave no thread for the lease.
    #[error("failed to start the lease thread")]
    Thread(#[source] std::io::Error),
    /// A batch of completions ended without an answer; whether it took effect is unknown.
    #[error("a batch of completed jobs ended without an answer")]
    Batch(#[source] tarsy_coalesce::Error<Error>),
}
