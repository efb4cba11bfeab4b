//! What can go wrong around a stage, apart from the agent's own failures (those are outcomes).

/// A transition that did not happen; the job is tried again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The stage's rows could not be read or written.
    #[error("the stage's rows could not be read or written")]
    Store(#[from] tarsy_store::Error),
    /// The transaction could not be begun or committed.
    #[error("the transaction did not go through")]
    Transaction(#[from] sqlx::Error),
}
