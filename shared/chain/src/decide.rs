//! Decides the next transition of a session: a pure function of its rows.
//!
//! If a chain job is delivered twice, late or never, the rows are the same, so the decision is the same too.

use serde_json::Value;
use tarsy_model::{SessionId, SessionOutcome, SessionStatus, StageStatus};

use crate::branches::{Branch, RowPlace, Success, retain_current, settled_status};
use crate::conclude::conclude;
use crate::condition::{Condition, ConditionError, Facts};
use crate::outcome::StageOutcome;
use crate::{
    Graph, Join, OnRunbookError, RunbookState, SessionEnd, SessionState, StageAttempt,
    StageDefinition,
};

/// The next transition of a session.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Do nothing: the session has ended, or stages are running whose ends create new chain jobs.
    Nothing,
    /// Fetch the runbook, once, before the first stage.
    FetchRunbook {
        /// URL or name of the runbook.
        url: String,
    },
    /// Settle stages without running them. The session is decided again right after.
    Settle(Vec<SettledStage>),
    /// Make due stages wait, at least one. The session is decided again right after.
    Wait(Vec<DueStage>),
    /// Start due stages, at least one, branch by branch.
    Start(Vec<DueStage>),
    /// End the session: every stage has settled, or the chain can't continue.
    Finish(SessionEnd),
}

/// A due stage, or one branch of it.
#[derive(Clone, Debug, PartialEq)]
pub struct DueStage {
    /// Position in the chain.
    pub index: usize,
    /// Branch of the stage.
    pub branch: Branch,
    /// Number of the attempt, from 1.
    pub attempt: i32,
    /// Replay round.
    pub round: i32,
}

/// A stage that settles without running.
#[derive(Clone, Debug, PartialEq)]
pub struct SettledStage {
    /// The stage.
    pub stage: DueStage,
    /// `skipped` or `failed`.
    pub status: StageStatus,
    /// Reason why it settles.
    pub reason: String,
}

/// Decides the next transition of a session.
#[must_use]
pub fn decide(state: &SessionState) -> Decision {
    if state.status.is_terminal() {
        return Decision::Nothing;
    }
    let graph = match Graph::edges(&state.chain) {
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
        Decision::Finish(conclude(state, &walk.settled))
    }
}

/// Returns the failed end of a session that can't continue, e.g. because its chain job keeps crashing workers.
#[must_use]
pub fn give_up(session_id: SessionId, reason: &str) -> SessionEnd {
    SessionEnd {
        session_id,
        status: SessionStatus::Failed,
        outcome: Some(SessionOutcome::Failed),
        analysis_from: None,
        verified_by: Vec::new(),
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

/// A pass over the stages in topological order.
struct Walk<'a> {
    /// Stages settled in this round, in order.
    settled: Vec<StageOutcome<'a>>,
    /// Values for expressions, created when the first one is evaluated: outputs can be large, and most decisions
    /// evaluate none.
    facts: Option<Facts>,
    /// Number of settled stages that `facts` already contains.
    known: usize,
    due: Vec<DueStage>,
    /// Due stages that wait.
    waiting: Vec<DueStage>,
    settling: Vec<SettledStage>,
    is_under_way: bool,
}

/// State of a stage in the current round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Settled in this round.
    Settled { round: i32, ran: bool },
    /// Running, due, or waiting for its needs.
    Open,
}

impl<'a> Walk<'a> {
    fn over(graph: &Graph<'a>, state: &'a SessionState) -> Self {
        let mut walk = Walk {
            settled: Vec::with_capacity(graph.len()),
            facts: None,
            known: 0,
            due: Vec::new(),
            waiting: Vec::new(),
            settling: Vec::new(),
            is_under_way: false,
        };
        let mut rows: Vec<&StageAttempt> = state.stages.iter().collect();
        retain_current(&mut rows, |row| row.place());
        let mut standings: Vec<Standing> = Vec::with_capacity(graph.len());
        let mut rest = rows.as_slice();
        for index in 0..graph.len() {
            let of_stage = |row: &&&StageAttempt| usize::try_from(row.stage_index) == Ok(index);
            let (branches, later) = rest.split_at(rest.iter().take_while(of_stage).count());
            rest = later;
            let standing = walk.visit(graph, state, &standings, index, branches);
            standings.push(standing);
        }
        walk
    }

    fn visit(
        &mut self,
        graph: &Graph<'a>,
        state: &SessionState,
        standings: &[Standing],
        index: usize,
        rows: &[&'a StageAttempt],
    ) -> Standing {
        let needs = Needs::new(graph, standings, index);
        let is_current = |row: &&StageAttempt| row.round >= needs.round;
        if !rows.is_empty() && rows.iter().all(is_current) {
            return self.status_of(graph.stage(index), rows);
        }
        if !needs.are_settled(graph.join(index)) {
            return Standing::Open;
        }
        let last = rows.iter().map(|row| row.attempt).max().unwrap_or(0);
        let stage = graph.stage(index);
        let facts = stage.has_expression().then(|| self.facts(state));
        let verdict = verdict(facts, graph, &needs, index);
        let due = |(attempt, branch)| DueStage {
            index,
            branch,
            attempt,
            round: needs.round,
        };
        let mut settle = |status, reason: String| {
            self.settling.push(SettledStage {
                stage: due((last + 1, Branch::SOLE)),
                status,
                reason,
            });
        };
        match verdict {
            Ok(Verdict::Run(branches)) => {
                let due = (last + 1..).zip(branches).map(due);
                match stage.kind.as_wait() {
                    Some(_) => self.waiting.extend(due),
                    None => self.due.extend(due),
                }
            }
            Ok(Verdict::Skip(reason)) => settle(StageStatus::Skipped, reason),
            Err(error) => settle(StageStatus::Failed, error),
        }
        Standing::Open
    }

    /// Returns the state of a stage with rows of this round.
    fn status_of(&mut self, stage: &'a StageDefinition, rows: &[&'a StageAttempt]) -> Standing {
        self.is_under_way |= rows.iter().any(|row| !row.status.is_terminal());
        let statuses: Vec<StageStatus> = rows.iter().map(|row| row.status).collect();
        let success = stage.branches.as_ref().map_or(Success::All, |b| b.success);
        let Some(status) = settled_status(success, &statuses) else {
            return Standing::Open;
        };
        self.settled
            .push(StageOutcome::new(stage, status, rows.to_vec()));
        Standing::Settled {
            round: rows.iter().map(|row| row.round).max().unwrap_or(0),
            ran: status != StageStatus::Skipped,
        }
    }

    /// Returns the alert and the stages that have settled so far.
    fn facts(&mut self, state: &SessionState) -> &Facts {
        let facts = self.facts.get_or_insert_with(|| {
            let alert = state.facts.as_ref().map(|facts| facts.alert.clone());
            Facts::new(alert.unwrap_or_default())
        });
        let outputs = state.facts.as_ref().map(|facts| &facts.outputs);
        for outcome in self.settled.iter().skip(self.known) {
            facts.set(&outcome.stage.name, outcome.fact(outputs));
        }
        self.known = self.settled.len();
        facts
    }
}

impl StageAttempt {
    fn place(&self) -> RowPlace {
        RowPlace {
            stage_index: self.stage_index,
            branch: self.branch,
            branch_count: self.branch_count,
            attempt: self.attempt,
        }
    }
}

/// Decides whether a stage whose needs have settled runs, and in which branches. Returns an error if an expression
/// can't be evaluated.
fn verdict(
    facts: Option<&Facts>,
    graph: &Graph<'_>,
    needs: &Needs,
    index: usize,
) -> Result<Verdict, String> {
    if needs.all_skipped && graph.join(index) == Join::All {
        let reason = "every stage that it needs was skipped";
        return Ok(Verdict::Skip(reason.to_owned()));
    }
    let stage = graph.stage(index);
    let nothing = Facts::new(Value::Null);
    let facts = facts.unwrap_or(&nothing);
    if let Some(source) = stage.when.as_deref() {
        let no_answer =
            |error: ConditionError| format!("the stage's condition has no answer: {error}");
        let condition = Condition::parse(source).map_err(no_answer)?;
        if !condition.holds(facts).map_err(no_answer)? {
            return Ok(Verdict::Skip(format!("condition not met: {source}")));
        }
    }
    let Some(source) = stage.branches.as_ref().and_then(|branches| branches.each()) else {
        return Ok(Verdict::Run(stage.fixed_branches()));
    };
    let no_list =
        |error: ConditionError| format!("failed to evaluate the stage's list of branches: {error}");
    let list = Condition::parse(source).map_err(no_list)?;
    let items = list.items(facts).map_err(no_list)?;
    Ok(match items.is_empty() {
        true => Verdict::Skip(format!("the list of its branches is empty: {source}")),
        false => Verdict::Run(StageDefinition::branches_for(items)),
    })
}

enum Verdict {
    Run(Vec<Branch>),
    Skip(String),
}

/// State of a stage's needs.
struct Needs {
    /// Highest round of a settled need. An earlier attempt predates that need's replay.
    round: i32,
    count: usize,
    settled: usize,
    any_ran: bool,
    all_skipped: bool,
}

impl Needs {
    fn new(graph: &Graph<'_>, standings: &[Standing], index: usize) -> Self {
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
