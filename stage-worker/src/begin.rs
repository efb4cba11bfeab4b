//! Beginning stages: one statement for all claims that arrive together.

use std::collections::HashMap;

use tarsy_coalesce::{Batch, Coalescer, Limits};
use tarsy_failpoint::reached;
use tarsy_model::ExecutionId;
use tarsy_queue::{Connections, Waker, is_refusal};
use tarsy_store::{BeginStage, BegunStage};

use crate::Error;

/// Begins stages in groups; cheap to clone.
#[derive(Clone)]
pub(crate) struct Beginner(Coalescer<BeginStage, Option<BegunStage>, Error>);

impl Beginner {
    /// A beginner that writes over `connections`; `waker` tells those who watch.
    #[must_use]
    pub(crate) fn new(connections: Connections, waker: Waker) -> Self {
        let limits = Limits {
            max_batch: 128,
            max_flushes: 2,
            overlap_from: 8,
            ..Limits::default()
        };
        Self(Coalescer::isolating(
            limits,
            |error| is_refusal(error),
            move |batch| flush(connections.clone(), waker.clone(), batch),
        ))
    }

    /// Begin one stage; `None` when it has ended or a later claim holds it.
    ///
    /// # Errors
    ///
    /// [`tarsy_coalesce::Error`] when the database did not take it.
    pub(crate) async fn begin(
        &self,
        begin: BeginStage,
    ) -> Result<Option<BegunStage>, tarsy_coalesce::Error<Error>> {
        self.0.submit(begin).await
    }
}

async fn flush(
    connections: Connections,
    waker: Waker,
    batch: Batch<BeginStage>,
) -> Result<Vec<Option<BegunStage>>, Error> {
    reached("stage.begin.before_commit");
    let mut conn = connections.acquire().await?;
    let begun = tarsy_store::begin_stages(&mut conn, &batch).await;
    connections.give_back(conn, &begun);
    let begun = begun?;
    reached("stage.begin.after_commit");
    waker.wake_watchers();

    let mut begun: HashMap<ExecutionId, BegunStage> = begun
        .into_iter()
        .map(|stage| (stage.execution_id, stage))
        .collect();
    Ok(batch
        .iter()
        .map(|b| begun.remove(&b.execution_id))
        .collect())
}
