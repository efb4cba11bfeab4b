//! Reading sessions: one query for all chain jobs that arrive together.

use std::collections::HashMap;

use tarsy_coalesce::{Batch, Coalescer, Limits};
use tarsy_model::SessionId;
use tarsy_queue::{Connections, is_refusal};
use tarsy_store::ChainRow;

use crate::Error;

/// Reads what next steps are decided from; cheap to clone.
#[derive(Clone)]
pub(crate) struct Loader(Coalescer<SessionId, Option<ChainRow>, Error>);

impl Loader {
    /// A loader that reads over `connections`.
    #[must_use]
    pub(crate) fn new(connections: Connections) -> Self {
        let limits = Limits {
            max_batch: 128,
            max_flushes: 2,
            overlap_from: 8,
            ..Limits::default()
        };
        Self(Coalescer::isolating(
            limits,
            |error| is_refusal(error),
            move |batch| flush(connections.clone(), batch),
        ))
    }

    /// The rows of one session; `None` if it is gone.
    ///
    /// # Errors
    ///
    /// [`tarsy_coalesce::Error`] when the database could not be read.
    pub(crate) async fn load(
        &self,
        session: SessionId,
    ) -> Result<Option<ChainRow>, tarsy_coalesce::Error<Error>> {
        self.0.submit(session).await
    }
}

async fn flush(
    connections: Connections,
    batch: Batch<SessionId>,
) -> Result<Vec<Option<ChainRow>>, Error> {
    let mut conn = connections.acquire().await?;
    let rows = tarsy_store::load_chains(&mut conn, &batch).await;
    connections.give_back(conn, &rows);
    let rows = rows?;
    let mut rows: HashMap<SessionId, ChainRow> =
        rows.into_iter().map(|row| (row.session_id, row)).collect();
    // A session that two jobs of one batch are about goes to both.
    Ok(match batch.len() == rows.len() {
        true => batch.iter().map(|id| rows.remove(id)).collect(),
        false => batch.iter().map(|id| rows.get(id).cloned()).collect(),
    })
}
