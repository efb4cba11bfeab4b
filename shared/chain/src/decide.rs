//! What comes next for a session: a pure function of its rows.
//!
//! Deliver a chain job twice, late or never: the rows are the same, and so is the answer.

use tarsy_model::{SessionId, SessionOutcome, SessionStatus, StageStatus};

use crate::conclude::conclude;
use crate::condition::{ConditionError, Facts, StageFact};
use crate::{Graph, Join, OnRunbookError, RunbookState, SessionEnd, SessionState, StageAttempt};

/// The next transition of a session.
#[derive(Clone, Debug)]
pub enum Decision {
    /// The session has ended, or stages are under way, whose ends bring new chain jobs.
    Nothing,
    /// The runbook is fetched once, before the first stage.
    FetchRunbook {
        /// Where it is.
        url: String,
    },
    /// Stages that settle without being run. The session is decided again right after.
    Settle(Vec<SettledStage>),
    /// Stages that are due and wait, at least one. The session is decided again right after.
    Wait(Vec<DueStage>),
    /// Stages that are due, at least one.
    Start(Vec<DueStage>),
    /// Every stage has settled, or the chain can't go on.
    Finish(SessionEnd),
}

/// A stage that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueStage {
    /// Position in the chain.
    pub index: usize,
    /// Attempt to make, from 1.
    pub attempt: i32,
    /// Replay round that it belongs to.
    pub round: i32,
}

/// A stage that settles without being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledStage {
    /// Which attempt.
    pub stage: DueStage,
    /// `skipped` or `failed`.
    pub status: StageStatus,
    /// Why.
    pub reason: String,
}

/// Decide what comes next.
#[must_use]
pub fn decide(state: &SessionState) -> Decision {
    if state.status.is_terminal() {
        return Decision::Nothing;
    }
    let graph = match Graph::new(&state.chain) {
        Ok(graph) => graph,
        Err(mistakes) => {
            let first = mistakes.first().map(|mistake| mistake.kind.to_string());
            let reason = format!("the chain can't be run: {}", first.unwrap_or_default());
            return Decision::Finish(give_up(state.session_id, &reason));
        }
    };
    if state.stages.is_empty()
        && let Some(decision) = decide_runbook(state)
    {
        return decision;
    }
    let walk = Walk::over(&graph, state);
    if !walk.settling.is_empty() {
        Decision::Settle(walk.settling)
    } else if !walk.waiting.is_empty() {
        Decision::Wait(walk.waiting)
    } else if !walk.due.is_empty() {
        Decision::Start(walk.due)
    } else if walk.is_under_way {
        Decision::Nothing
    } else {
        Decision::Finish(conclude(&graph, state, &walk.settled))
    }
}

/// A session that can't go on because its chain job kills workers.
#[must_use]
pub fn give_up(session_id: SessionId, reason: &str) -> SessionEnd {
    SessionEnd {
        session_id,
        status: SessionStatus::Failed,
        outcome: Some(SessionOutcome::Failed),
        analysis_from: None,
        error: Some(reason.to_owned()),
    }
}

fn decide_runbook(state: &SessionState) -> Option<Decision> {
    match &state.runbook {
        RunbookState::None | RunbookState::Fetched => None,
        RunbookState::Unsettled { url } => Some(Decision::FetchRunbook { url: url.clone() }),
        RunbookState::Failed { error } => (state.chain.on_runbook_error == OnRunbookError::Fail)
            .then(|| {
                let reason = format!("failed to fetch the runbook: {error}");
                Decision::Finish(give_up(state.session_id, &reason))
            }),
    }
}

/// One pass over the stages in topological order.
struct Walk<'a> {
    /// Attempts of this round that have settled, in order.
    settled: Vec<&'a StageAttempt>,
    due: Vec<DueStage>,
    /// Stages that are due and wait.
    waiting: Vec<DueStage>,
    settling: Vec<SettledStage>,
    is_under_way: bool,
}

/// Where a stage stands in the current round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Its attempt has ended, in this round.
    Settled { round: i32, ran: bool },
    /// Its attempt is under way, it is due, or it waits for its needs.
    Open,
}

impl<'a> Walk<'a> {
    fn over(graph: &Graph<'_>, state: &'a SessionState) -> Self {
        let mut walk = Walk {
            settled: Vec::with_capacity(graph.len()),
            due: Vec::new(),
            waiting: Vec::new(),
            settling: Vec::new(),
            is_under_way: false,
        };
        let mut current: Vec<Option<&StageAttempt>> = vec![None; graph.len()];
        for attempt in &state.stages {
            let place = usize::try_from(attempt.stage_index).ok();
            if let Some(slot) = place.and_then(|index| current.get_mut(index)) {
                *slot = Some(attempt);
            }
        }
        let mut standings: Vec<Standing> = Vec::with_capacity(graph.len());
        for (index, attempt) in current.iter().enumerate() {
            let standing = walk.visit(graph, state, &standings, index, *attempt);
            standings.push(standing);
        }
        walk
    }

    fn visit(
        &mut self,
        graph: &Graph<'_>,
        state: &SessionState,
        standings: &[Standing],
        index: usize,
        attempt: Option<&'a StageAttempt>,
    ) -> Standing {
        let needs = Needs::of(graph, standings, index);
        if let Some(attempt) = attempt.filter(|attempt| attempt.round >= needs.round) {
            if !attempt.status.is_terminal() {
                self.is_under_way = true;
                return Standing::Open;
            }
            self.settled.push(attempt);
            return Standing::Settled {
                round: attempt.round,
                ran: attempt.status != StageStatus::Skipped,
            };
        }
        if !needs.are_settled(graph.join(index)) {
            return Standing::Open;
        }
        let stage = DueStage {
            index,
            attempt: attempt.map_or(1, |superseded| superseded.attempt + 1),
            round: needs.round,
        };
        let settle = |status, reason: String| SettledStage {
            stage,
            status,
            reason,
        };
        match self.verdict(graph, state, &needs, index) {
            Ok(Verdict::Run) if graph.stage(index).kind.as_wait().is_some() => {
                self.waiting.push(stage);
            }
            Ok(Verdict::Run) => self.due.push(stage),
            Ok(Verdict::Skip(reason)) => self.settling.push(settle(StageStatus::Skipped, reason)),
            Err(error) => {
                let reason = format!("the stage's condition has no answer: {error}");
                self.settling.push(settle(StageStatus::Failed, reason));
            }
        }
        Standing::Open
    }

    /// Whether a stage whose needs have settled runs.
    fn verdict(
        &self,
        graph: &Graph<'_>,
        state: &SessionState,
        needs: &Needs,
        index: usize,
    ) -> Result<Verdict, ConditionError> {
        if needs.all_skipped && graph.join(index) == Join::All {
            return Ok(Verdict::Skip(
                "every stage that it needs was skipped".to_owned(),
            ));
        }
        let Some(condition) = graph.condition(index) else {
            return Ok(Verdict::Run);
        };
        match condition.holds(&self.facts(graph, state))? {
            true => Ok(Verdict::Run),
            false => {
                let source = graph.stage(index).when.as_deref().unwrap_or_default();
                Ok(Verdict::Skip(format!("its condition is false: {source}")))
            }
        }
    }

    fn facts(&self, graph: &Graph<'_>, state: &SessionState) -> Facts {
        let loaded = state.facts.as_ref();
        let mut facts = Facts::new(loaded.map(|facts| facts.alert.clone()).unwrap_or_default());
        for attempt in &self.settled {
            let Ok(index) = usize::try_from(attempt.stage_index) else {
                continue;
            };
            let output = loaded.and_then(|facts| facts.outputs.get(&index)).cloned();
            let fact = StageFact {
                status: attempt.status,
                output: output.filter(|_| attempt.status == StageStatus::Completed),
                error: attempt.error_message.clone(),
            };
            facts.set(&graph.stage(index).name, fact);
        }
        facts
    }
}

enum Verdict {
    Run,
    Skip(String),
}

/// What a stage's needs say about it.
struct Needs {
    /// Highest round of a settled need: an attempt below it was made before that need was replayed.
    round: i32,
    count: usize,
    settled: usize,
    any_ran: bool,
    all_skipped: bool,
}

impl Needs {
    fn of(graph: &Graph<'_>, standings: &[Standing], index: usize) -> Self {
        let needs = graph.needs(index);
        let mut found = Self {
            round: 0,
            count: needs.len(),
            settled: 0,
            any_ran: false,
            all_skipped: !needs.is_empty(),
        };
        for need in needs {
            match standings[*need] {
                Standing::Settled { round, ran } => {
                    found.round = found.round.max(round);
                    found.settled += 1;
                    found.any_ran |= ran;
                    found.all_skipped &= !ran;
                }
                Standing::Open => found.all_skipped = false,
            }
        }
        found
    }

    fn are_settled(&self, join: Join) -> bool {
        match join {
            Join::All => self.settled == self.count,
            Join::Any => self.any_ran || self.settled == self.count,
        }
    }
}

#[cfg(test)]
mod tests;
