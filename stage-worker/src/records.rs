//! Records interactions in groups: stages that run at the same time share statements and commits
//! (docs/decisions/0011-records-in-groups.md).

mod kinds;

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_coalesce::{Batch, Coalescer, GroupLimits};
use tarsy_model::{InteractionId, LlmIntent, LlmResult, McpIntent, McpResult};
use tarsy_queue::{Connections, Waker, is_refusal};
use tarsy_store::Error;
use tarsy_store::events::NewEvent;
use tarsy_store::interactions::{StageFence, StageWrite};

/// Groups of the four kinds of writes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Records {
    /// Intents of model calls.
    pub(crate) begin_llm: Group<LlmIntent>,
    /// Results of model calls.
    pub(crate) finish_llm: Group<(InteractionId, LlmResult)>,
    /// Intents of tool calls.
    pub(crate) begin_mcp: Group<McpIntent>,
    /// Results of tool calls.
    pub(crate) finish_mcp: Group<(InteractionId, McpResult)>,
}

impl Records {
    /// Creates groups that write over `connections`. `waker` wakes event readers.
    pub(crate) fn new(connections: &Connections, waker: &Waker) -> Self {
        Self {
            begin_llm: Group::new(connections, waker),
            finish_llm: Group::new(connections, waker),
            begin_mcp: Group::new(connections, waker),
            finish_mcp: Group::new(connections, waker),
        }
    }
}

/// Group of writes of one kind. Each returns whether its stage was held, so that it was written.
pub(crate) struct Group<T>(Coalescer<Arc<StageWrite<T>>, bool, Error>);

impl<T> Clone for Group<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: RecordKind> Group<T> {
    fn new(connections: &Connections, waker: &Waker) -> Self {
        let (connections, waker) = (connections.clone(), waker.clone());
        Self(Coalescer::isolating(
            GroupLimits::overlapping(64),
            |error| is_refusal(error),
            move |group| flush(connections.clone(), waker.clone(), group),
        ))
    }

    /// Writes the record once. Returns `false` if its stage is no longer held.
    ///
    /// # Errors
    ///
    /// [`tarsy_coalesce::Error`]: it was not written, or the reply was lost.
    pub(crate) async fn write(
        &self,
        write: Arc<StageWrite<T>>,
    ) -> Result<bool, tarsy_coalesce::Error<Error>> {
        self.0.submit(write).await
    }
}

/// A kind of write.
pub(crate) trait RecordKind: Send + Sync + Sized + 'static {
    /// Returns the interaction that the write is about.
    fn id(&self) -> InteractionId;

    /// Returns kind and payload of its event. They suffice to show the row; the text itself is read from the history.
    fn event(&self) -> (&'static str, Value);

    /// Writes a group in one statement, which is a transaction by itself.
    fn write(
        conn: &mut PgConnection,
        group: &[Arc<StageWrite<Self>>],
    ) -> impl Future<Output = Result<HashSet<InteractionId>, Error>> + Send;

    /// Returns this write, guarded by a fence.
    fn under(self, fence: StageFence) -> Arc<StageWrite<Self>> {
        let (kind, mut payload) = self.event();
        payload["type"] = kind.into();
        payload["interaction_id"] = self.id().to_string().into();
        payload["session_id"] = fence.session_id.to_string().into();
        payload["stage_execution_id"] = fence.execution_id.to_string().into();
        let event = NewEvent {
            session_id: Some(fence.session_id),
            kind,
            payload,
        };
        Arc::new(StageWrite {
            fence,
            record: self,
            event,
        })
    }
}

async fn flush<T: RecordKind>(
    connections: Connections,
    waker: Waker,
    group: Batch<Arc<StageWrite<T>>>,
) -> Result<Vec<bool>, Error> {
    let answers = write(&connections, &group).await?;
    waker.wake_watchers();
    Ok(answers)
}

async fn write<T: RecordKind>(
    connections: &Connections,
    group: &[Arc<StageWrite<T>>],
) -> Result<Vec<bool>, Error> {
    let mut conn = connections.acquire().await?;
    let kept = T::write(&mut conn, group).await;
    connections.give_back(conn, &kept);
    let kept = kept?;
    Ok(group
        .iter()
        .map(|write| kept.contains(&write.record.id()))
        .collect())
}

#[cfg(test)]
pub(crate) mod tests;
