//! Errors around a stage. Failures of the agent are outcomes, not errors.

/// Error of a transition that did not happen. The job is tried again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The stage's rows could not be read or written.
    #[error("failed to read or write the stage's rows")]
    Store(#[from] tarsy_store::Error),
    /// The transaction could not be begun or committed.
    #[error("the transaction failed")]
    Transaction(#[from] sqlx::Error),
}
