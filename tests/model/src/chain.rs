//! The chain worker: reads the rows and calls the real `decide`.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Value, json};
use tarsy_chain::{
    ChainDefinition, DueStage, RunbookState, SessionState, SettledStage, StageAttempt, StageFacts,
    decide,
};
use tarsy_model::{ExecutionId, SessionId, SessionStatus, StageStatus, WaitDecision, WaitSort};
use uuid::Uuid;

use crate::tables::{Stage, small};
use crate::{Shape, Tables};

/// Row of a stage, or of one branch of a stage, to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Due {
    /// Index in the chain.
    pub index: u8,
    /// Branch index.
    pub branch: u8,
    /// Number of branches.
    pub branches: u8,
    /// Attempt number.
    pub attempt: u8,
    /// Replay round.
    pub round: u8,
}

/// Decision of a chain worker. The rows that it is based on may have changed since.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Nothing is due.
    Nothing,
    /// Stages settle without being run.
    Settle(Vec<(Due, StageStatus)>),
    /// Stages wait.
    Wait(Vec<Due>),
    /// Stages are due.
    Start(Vec<Due>),
    /// The session ends.
    Finish(SessionStatus),
}

thread_local! {
    /// Cached definitions that are not in use, by shape, because a copy is more expensive than a decision.
    static SPARE: RefCell<HashMap<Shape, ChainDefinition>> = RefCell::default();
}

/// Reads a session and decides.
pub(crate) fn decision_for(tables: &Tables, session: u8) -> Decision {
    let state = state(tables, session);
    let decision = written(decide(&state));
    let shape = tables.session(session).shape;
    SPARE.with_borrow_mut(|spare| spare.insert(shape, state.chain));
    decision
}

fn written(decision: tarsy_chain::Decision) -> Decision {
    match decision {
        tarsy_chain::Decision::Nothing | tarsy_chain::Decision::FetchRunbook { .. } => {
            Decision::Nothing
        }
        tarsy_chain::Decision::Settle(settled) => {
            let row = |s: &SettledStage| (due(&s.stage), s.status);
            Decision::Settle(settled.iter().map(row).collect())
        }
        tarsy_chain::Decision::Wait(stages) => Decision::Wait(stages.iter().map(due).collect()),
        tarsy_chain::Decision::Start(stages) => Decision::Start(stages.iter().map(due).collect()),
        tarsy_chain::Decision::Finish(end) => Decision::Finish(end.status),
    }
}

/// Returns all stages that would be started now, after stages that settle have settled and stages that wait have begun
/// to wait.
pub(crate) fn due_now(tables: &Tables, session: u8) -> Vec<Due> {
    let mut tables = tables.clone();
    loop {
        match decision_for(&tables, session) {
            Decision::Settle(settled) => tables.settle_stages(session, &settled),
            Decision::Wait(due) => tables.open_gates(session, &due),
            Decision::Start(due) => return due,
            Decision::Nothing | Decision::Finish(_) => return Vec::new(),
        }
    }
}

fn due(stage: &DueStage) -> Due {
    let number = |n: i32| u8::try_from(n).unwrap_or(u8::MAX);
    Due {
        index: small(stage.index),
        branch: number(stage.branch.index),
        branches: number(stage.branch.count),
        attempt: number(stage.attempt),
        round: number(stage.round),
    }
}

impl Due {
    /// Creates the row of a stage without branches.
    pub(crate) const fn sole(index: u8, attempt: u8, round: u8) -> Self {
        Self {
            index,
            branch: 0,
            branches: 1,
            attempt,
            round,
        }
    }
}

fn state(tables: &Tables, session: u8) -> SessionState {
    let row = tables.session(session);
    let chain = row.shape.chain();
    let newest = newest_rows(tables, session);
    let facts = chain.has_conditions().then(|| StageFacts {
        alert: Value::Null,
        outputs: newest
            .iter()
            .filter(|(_, stage)| stage.status == StageStatus::Completed)
            .map(|(place, stage)| (execution(*place), output(tables, *place, stage)))
            .collect::<HashMap<_, _>>(),
    });
    let stages = newest.iter().map(|(place, stage)| StageAttempt {
        execution_id: execution(*place),
        stage_index: i32::from(stage.index),
        branch: i32::from(stage.branch),
        branch_count: i32::from(stage.branches),
        branch_name: (stage.branches > 1).then(|| stage.branch.to_string()),
        attempt: i32::from(stage.attempt),
        round: i32::from(stage.round),
        status: stage.status,
        iteration_strategy: None,
        error_message: None,
    });
    SessionState {
        session_id: SessionId::from(Uuid::from_u128(u128::from(session) + 1)),
        status: row.status,
        runbook: RunbookState::None,
        severity: String::new(),
        traceparent: None,
        stages: stages.collect(),
        facts,
        chain: SPARE
            .with_borrow_mut(|spare| spare.remove(&row.shape))
            .unwrap_or_else(|| chain.clone()),
    }
}

/// Returns the row with the highest attempt of each branch, like the query. The rule decides which of them count.
fn newest_rows(tables: &Tables, session: u8) -> Vec<(u8, &Stage)> {
    let mut newest: Vec<(u8, &Stage)> = Vec::new();
    for (place, stage) in tables.rows_of(session) {
        let same = |(_, other): &&mut (u8, &Stage)| {
            (other.index, other.branch) == (stage.index, stage.branch)
        };
        match newest.iter_mut().find(same) {
            Some(other) if other.1.attempt < stage.attempt => *other = (place, stage),
            Some(_) => {}
            None => newest.push((place, stage)),
        }
    }
    newest
}

fn execution(place: u8) -> ExecutionId {
    ExecutionId::from(Uuid::from_u128(u128::from(place) + 1))
}

fn output(tables: &Tables, place: u8, stage: &Stage) -> Value {
    let data = match tables.session(stage.session).shape.gate(stage.index) {
        Some(WaitSort::Signal) => json!({"go": true}),
        Some(_) => json!({"approved": tables.decision(place) == Some(WaitDecision::Approved)}),
        None => json!({"hosts": ["x", "y"]}),
    };
    json!({"result": "done", "data": data})
}
