//! The chain worker: what it reads, and what the real `decide` makes of it.

use tarsy_chain::{
    ChainDefinition, OnRunbookError, RunbookState, SessionState, StageAttempt, StageDefinition,
    decide,
};
use tarsy_model::{ExecutionId, SessionId, SessionStatus};
use uuid::Uuid;

use crate::Tables;
use crate::transitions::small;

/// What a chain worker wants to write, decided from rows that may have changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Nothing is due.
    Nothing,
    /// A stage is due.
    Start {
        /// Place in the chain.
        index: u8,
        /// Which attempt.
        attempt: u8,
        /// Replay round.
        round: u8,
    },
    /// The session ends.
    Finish(SessionStatus),
}

/// Read a session and decide.
pub(crate) fn look(tables: &Tables, session: u8) -> Decision {
    match decide(&state(tables, session)) {
        tarsy_chain::Decision::Nothing
        | tarsy_chain::Decision::FetchRunbook { .. }
        | tarsy_chain::Decision::Settle(_)
        | tarsy_chain::Decision::Wait(_) => Decision::Nothing,
        tarsy_chain::Decision::Start(due) => {
            due.first()
                .map_or(Decision::Nothing, |due| Decision::Start {
                    index: small(due.index),
                    attempt: u8::try_from(due.attempt).unwrap_or(u8::MAX),
                    round: u8::try_from(due.round).unwrap_or(u8::MAX),
                })
        }
        tarsy_chain::Decision::Finish(end) => Decision::Finish(end.status),
    }
}

fn state(tables: &Tables, session: u8) -> SessionState {
    let row = tables.session(session);
    let stages = (0..row.chain).filter_map(|index| {
        let place = tables.current(session, index)?;
        let stage = tables.stage(place);
        Some(StageAttempt {
            execution_id: ExecutionId::from(Uuid::from_u128(u128::from(place) + 1)),
            stage_index: i32::from(stage.index),
            branch: 0,
            branch_count: 1,
            branch_name: None,
            attempt: i32::from(stage.attempt),
            round: i32::from(stage.round),
            status: stage.status,
            iteration_strategy: None,
            error_message: None,
        })
    });
    SessionState {
        session_id: SessionId::from(Uuid::from_u128(u128::from(session) + 1)),
        status: row.status,
        chain: ChainDefinition {
            chain_id: String::new(),
            alert_types: Vec::new(),
            stages: (0..row.chain)
                .map(|index| StageDefinition::new(index.to_string(), ""))
                .collect(),
            description: None,
            llm_provider: None,
            on_runbook_error: OnRunbookError::Continue,
            chat: None,
        },
        runbook: RunbookState::None,
        severity: String::new(),
        traceparent: None,
        stages: stages.collect(),
        facts: None,
    }
}
