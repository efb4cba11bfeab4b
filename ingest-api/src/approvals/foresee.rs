//! Predicts what a chain does after a gate is approved or denied.

use serde_json::json;
use tarsy_chain::{Decision, DueStage, SessionState, StageAttempt, decide};
use tarsy_model::{ExecutionId, StageStatus};

/// Next steps of a chain after a gate is decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Consequence {
    /// Positions of the stages that run or wait next.
    pub(crate) runs: Vec<usize>,
    /// Positions of the stages that are skipped.
    pub(crate) skips: Vec<usize>,
    /// Whether the session ends, because no stage is left.
    pub(crate) ends: bool,
}

/// Returns what follows if the gate with execution `gate` is approved or denied. An expired gate
/// counts as denied.
///
/// Runs the real rule, [`decide`], on a copy of the session's rows.
pub(crate) fn foresee(state: &SessionState, gate: ExecutionId, is_approved: bool) -> Consequence {
    let mut state = state.clone();
    let decision = if is_approved { "approved" } else { "denied" };
    let output = json!({"data": {"approved": is_approved, "decision": decision}});
    if let Some(facts) = &mut state.facts {
        facts.outputs.insert(gate, output);
    }
    let mut rows = state.stages.iter_mut();
    if let Some(row) = rows.find(|row| row.execution_id == gate) {
        row.status = StageStatus::Completed;
    }
    let mut found = Consequence::default();
    // Every pass but the last settles a stage or makes one wait, so the number of passes is bounded.
    for _ in 0..=state.chain.stages.len() {
        match decide(&state) {
            Decision::Settle(settled) => {
                for settled in settled {
                    if settled.status == StageStatus::Skipped {
                        found.skips.push(settled.stage.index);
                    }
                    state.stages.push(row(settled.stage, settled.status));
                }
            }
            Decision::Wait(due) => {
                found.run(&due);
                let waiting = due.into_iter().map(|due| row(due, StageStatus::Waiting));
                state.stages.extend(waiting);
            }
            Decision::Start(due) => {
                found.run(&due);
                break;
            }
            Decision::Finish(_) => {
                found.ends = true;
                break;
            }
            Decision::Nothing | Decision::FetchRunbook { .. } => break,
        }
    }
    found
}

impl Consequence {
    fn run(&mut self, due: &[DueStage]) {
        self.runs.extend(due.iter().map(|due| due.index));
        // A stage with branches is due once for each branch.
        self.runs.dedup();
    }
}

fn row(due: DueStage, status: StageStatus) -> StageAttempt {
    StageAttempt {
        execution_id: ExecutionId::generate(),
        stage_index: i32::try_from(due.index).unwrap_or(i32::MAX),
        branch: due.branch.index,
        branch_count: due.branch.count,
        branch_name: due.branch.name,
        attempt: due.attempt,
        round: due.round,
        status,
        iteration_strategy: None,
        error_message: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tarsy_chain::{Branch, ChainDefinition, RunbookState, StageFacts};
    use tarsy_model::{SessionId, SessionStatus};

    use super::*;

    const APPROVED: &str = "stages.gate.data.approved";

    /// Creates a chain from stages written as `(name, needs, when)`. The gate has the name `gate`.
    fn chain(stages: &[(&str, &[&str], &str)]) -> ChainDefinition {
        let stages = stages.iter().map(|(name, needs, when)| {
            let mut stage = json!({"name": name, "agent": "agent", "needs": needs});
            if !when.is_empty() {
                stage["when"] = (*when).into();
            }
            stage
        });
        let stages: Vec<Value> = stages.collect();
        let chain = json!({"chain_id": "c", "alert_types": ["t"], "stages": stages});
        serde_json::from_value(chain).unwrap()
    }

    /// Creates a session that waits at the gate and whose stages before it have completed.
    fn waiting(chain: ChainDefinition, gate: usize) -> (SessionState, ExecutionId) {
        let due = |index| DueStage {
            index,
            branch: Branch::SOLE,
            attempt: 1,
            round: 0,
        };
        let mut stages: Vec<StageAttempt> = (0..gate)
            .map(|index| row(due(index), StageStatus::Completed))
            .collect();
        stages.push(row(due(gate), StageStatus::Waiting));
        let id = stages[gate].execution_id;
        let state = SessionState {
            session_id: SessionId::generate(),
            status: SessionStatus::InProgress,
            chain,
            runbook: RunbookState::None,
            severity: "warning".into(),
            traceparent: None,
            stages,
            facts: Some(StageFacts::default()),
        };
        (state, id)
    }

    fn consequence(runs: &[usize], skips: &[usize], ends: bool) -> Consequence {
        Consequence {
            runs: runs.to_vec(),
            skips: skips.to_vec(),
            ends,
        }
    }

    #[test]
    fn an_approved_gate_releases_what_a_denied_one_skips() {
        let chain = chain(&[
            ("look", &[], ""),
            ("gate", &["look"], ""),
            ("clean-up", &["gate"], APPROVED),
            ("report", &["clean-up", "look"], ""),
        ]);
        let (state, gate) = waiting(chain, 1);
        assert_eq!(foresee(&state, gate, true), consequence(&[2], &[], false));
        assert_eq!(foresee(&state, gate, false), consequence(&[3], &[2], false));
    }

    #[test]
    fn a_denied_gate_before_all_else_ends_the_session() {
        let chain = chain(&[
            ("gate", &[], ""),
            ("a", &["gate"], APPROVED),
            ("b", &["a"], ""),
        ]);
        let (state, gate) = waiting(chain, 0);
        assert_eq!(foresee(&state, gate, true), consequence(&[1], &[], false));
        assert_eq!(
            foresee(&state, gate, false),
            consequence(&[], &[1, 2], true)
        );
    }

    #[test]
    fn what_follows_a_gate_without_conditions_runs_either_way() {
        let chain = chain(&[
            ("gate", &[], ""),
            ("a", &["gate"], ""),
            ("b", &["gate"], ""),
        ]);
        let (mut state, gate) = waiting(chain, 0);
        state.facts = None;
        for is_approved in [true, false] {
            let both = consequence(&[1, 2], &[], false);
            assert_eq!(foresee(&state, gate, is_approved), both);
        }
    }
}
