//! Interactions: intents before calls and results after them, written under the stage's claim.
//!
//! Each kind of write is one statement for a whole group of stages, which also inserts the events. Stages that run at
//! the same time thus share commits (docs/decisions/0011-records-in-groups.md). The fence is the SQL function
//! `held_stage` (see its migration).

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
