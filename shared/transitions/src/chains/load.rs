//! Reads sessions, with one query for all chain jobs that arrive together.

use std::collections::HashMap;

use tarsy_chain::SessionState;
use tarsy_coalesce::{Batch, Coalescer, GroupLimits};
use tarsy_model::SessionId;
use tarsy_queue::{Connections, is_refusal};
use tarsy_store::Error;
use tarsy_store::chains::UnreadableChain;

/// A session's rows, or the reason why they can't be read.
pub type Loaded = Result<SessionState, UnreadableChain>;

/// Reads the rows from which the next step of a chain is decided. Cheap to clone.
#[derive(Clone)]
pub struct Loader(Coalescer<SessionId, Option<Loaded>, Error>);

impl Loader {
    /// Creates a loader that reads over `connections`.
    #[must_use]
    pub fn new(connections: Connections) -> Self {
        Self(Coalescer::isolating(
            GroupLimits::overlapping(128),
            |error| is_refusal(error),
            move |batch| flush(connections.clone(), batch),
        ))
    }

    /// Returns the rows of one session; `None` if it no longer exists.
    ///
    /// # Errors
    ///
    /// [`tarsy_coalesce::Error`] if the database could not be read.
    pub async fn load(
        &self,
        session: SessionId,
    ) -> Result<Option<Loaded>, tarsy_coalesce::Error<Error>> {
        self.0.submit(session).await
    }
}

async fn flush(
    connections: Connections,
    batch: Batch<SessionId>,
) -> Result<Vec<Option<Loaded>>, Error> {
    let mut conn = connections.acquire().await?;
    let rows = tarsy_store::chains::load_chains(&mut conn, &batch).await;
    connections.give_back(conn, &rows);
    let named = rows?.into_iter().map(|row| match row {
        Ok(row) => (row.session_id, Ok(row)),
        Err(unreadable) => (unreadable.session_id, Err(unreadable)),
    });
    let mut rows: HashMap<SessionId, Loaded> = named.collect();
    // If two jobs of one batch are about the same session, both get its rows.
    Ok(match batch.len() == rows.len() {
        true => batch.iter().map(|id| rows.remove(id)).collect(),
        false => batch.iter().map(|id| rows.get(id).cloned()).collect(),
    })
}
