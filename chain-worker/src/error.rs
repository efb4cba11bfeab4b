//! Errors of chain jobs and background work.

/// Error of a transition that did not happen. The job is tried again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The session's rows could not be read or written.
    #[error("failed to read or write the session's rows")]
    Store(#[from] tarsy_store::Error),
    /// The queue could not be written.
    #[error("failed to write to the queue")]
    Queue(#[from] tarsy_queue::Error),
    /// The transaction could not be begun or committed.
    #[error("the transaction failed")]
    Transaction(#[from] sqlx::Error),
    /// This machine has run out of a resource. Another worker takes the job.
    #[error("this machine can't go on with the chain")]
    Shortage(#[from] tarsy_model::Shortage),
}
