//! Interactions: intents before calls and results after them, written under the stage's claim.
//!
//! Each kind of write is one statement for a whole group of stages, which also inserts the events. Stages that run at
//! the same time thus share commits (docs/decisions/0011-records-in-groups.md). The fence is the SQL function
//! `held_stage` (see its migration).

/// Writes a group of records under the fences of their stages, publishes their events, and returns the ids that were
/// written. `$kept` is the statement that writes them, from `input` joined with [`held_stage`](self), and returns ids.
///
/// Parameters 1 to 7 are the same for each record: fence, id, session and event. `$types`, `$columns` and `$values` are
/// its own, from parameter 8 on.
macro_rules! write_records {
    ($conn:ident, $group:ident, $id:expr, $types:literal, $columns:literal, $kept:literal, $($values:expr),+ $(,)?) => {
        sqlx::query_scalar!(
            "with input as (
                 select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::uuid[], $6::text[], $7::jsonb[], " + $types + ")
                 as s (execution_id, owner, epoch, interaction_id, session_id, kind, event, " + $columns + ")
             ),
             kept as (" + $kept + "),
             new_events as (
                 insert into events (session_id, kind, payload)
                 select session_id, kind, event from input join kept using (interaction_id)
             )
             select interaction_id as \"id: InteractionId\" from kept",
            &column(&$group, |w| w.fence.execution_id.as_uuid()),
            &column(&$group, |w| w.fence.claim.owner),
            &column(&$group, |w| w.fence.claim.epoch),
            &column(&$group, $id),
            &column(&$group, |w| w.fence.session_id.as_uuid()),
            &column(&$group, |w| w.event.kind) as &[&str],
            &column(&$group, |w| &w.event.payload) as &[&Value],
            $($values),+
        )
        .fetch_all($conn)
        .await
        .map(HashSet::from_iter)
        .map_err(Error::from)
    };
}

mod llm;
mod mcp;
mod read;
mod task;
mod withdraw;

use std::sync::Arc;

use tarsy_model::{ClaimRef, ExecutionId, SessionId};

pub use self::llm::{begin_llm, finish_llm};
pub use self::mcp::{begin_mcp, finish_mcp};
pub use self::read::load_records;
pub use self::task::note_task;
pub use self::withdraw::withdraw_mcp;
use crate::events::NewEvent;

/// Fence of a stage. An interaction is written only while this claim is held.
#[derive(Clone, Copy, Debug)]
pub struct StageFence {
    /// Session of the stage, for its events.
    pub session_id: SessionId,
    /// Row of `stage_executions`.
    pub execution_id: ExecutionId,
    /// Job, owner and epoch. Without a match nothing is written.
    pub claim: ClaimRef,
}

/// One write of a group.
#[derive(Clone, Debug)]
pub struct StageWrite<T> {
    /// Claim under which the record is written.
    pub fence: StageFence,
    /// The record to write.
    pub record: T,
    /// Event that reports the record.
    pub event: NewEvent,
}

/// Returns the group in the order in which its stages are locked. All writers use the same order, which prevents
/// deadlocks.
fn in_order<T>(writes: &[Arc<StageWrite<T>>]) -> Vec<&StageWrite<T>> {
    let mut writes: Vec<_> = writes.iter().map(AsRef::as_ref).collect();
    writes.sort_by_key(|write| write.fence.execution_id.as_uuid());
    writes
}

fn column<'a, T, C>(
    writes: &[&'a StageWrite<T>],
    field: impl Fn(&'a StageWrite<T>) -> C,
) -> Vec<C> {
    writes.iter().map(|write| field(write)).collect()
}
