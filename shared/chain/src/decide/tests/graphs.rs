//! Property tests that run random graphs to their end in random order.

use proptest::prelude::*;
use tarsy_model::{ExecutionId, StageStatus};

use super::super::*;
use super::{begun, due, state};
use crate::graph::tests::chain;
use crate::{BranchSource, Branches, ChainDefinition, StageKind, WaitStage, sole_successor};
use StageStatus::{Active, Completed, Failed};

/// Generates random graphs. Each stage needs a random set of earlier ones, and some have branches.
fn graphs() -> impl Strategy<Value = ChainDefinition> {
    proptest::collection::vec(any::<(u8, bool, bool, u8)>(), 1..9).prop_map(|bits| {
        let name = |index: usize| format!("s{index}");
        let stages = bits
            .iter()
            .enumerate()
            .map(|(index, (mask, follows, any, branches))| {
                let needs = (0..index).filter(|at| mask & (1 << at) != 0).map(name);
                let stage = crate::StageDefinition::new(name(index), "agent");
                let waits = mask % 5 == 0;
                crate::StageDefinition {
                    kind: if waits {
                        StageKind::Wait(WaitStage::Timer { after_ms: 1 })
                    } else {
                        stage.kind.clone()
                    },
                    needs: (!follows).then(|| needs.collect()),
                    join: if *any { Join::Any } else { Join::All },
                    branches: (!waits && *branches >= 128).then(|| Branches {
                        source: BranchSource::Replicas(u32::from(branches % 3) + 1),
                        success: if *branches >= 192 {
                            Success::Any
                        } else {
                            Success::All
                        },
                    }),
                    ..stage
                }
            });
        ChainDefinition {
            stages: stages.collect(),
            ..chain(&[])
        }
    })
}

/// Runs a session to its end; `dice` choose the order in which branches end.
fn run(state: &mut SessionState, dice: &mut impl Iterator<Item = u8>) -> Result<(), TestCaseError> {
    let chain = state.chain.clone();
    let graph = Graph::new(&chain).unwrap_or_else(|_| Graph::edges(&chain).expect("edges"));
    for _ in 0..200 {
        let started: Vec<usize> = state
            .stages
            .iter()
            .map(|s| usize::try_from(s.stage_index).expect("small"))
            .collect();
        // Waiting stages are opened first, before the others start.
        loop {
            let made_due = due(state);
            if made_due.is_empty() {
                break;
            }
            for due in made_due {
                let key = |row: &StageAttempt| (row.stage_index, row.attempt);
                let row = begun(&due);
                prop_assert!(
                    !state.stages.iter().any(|other| key(other) == key(&row)),
                    "{due:?} starts twice"
                );
                if graph.join(due.index) == Join::All {
                    prop_assert!(
                        graph
                            .needs(due.index)
                            .iter()
                            .all(|need| started.contains(need))
                    );
                }
                state.stages.push(row);
            }
        }
        let active: Vec<usize> = (0..state.stages.len())
            .filter(|at| !state.stages[*at].status.is_terminal())
            .collect();
        if active.is_empty() {
            return Ok(());
        }
        let ending = active[usize::from(dice.next().unwrap_or(0)) % active.len()];
        let index = usize::try_from(state.stages[ending].stage_index).expect("small");
        prop_assert!(due(state).is_empty());
        state.stages[ending].status = if dice.next().unwrap_or(0).is_multiple_of(4) {
            Failed
        } else {
            Completed
        };
        let round = state.stages[ending].round;
        if let Some((successor, _)) = sole_successor(&chain.stages, index) {
            // The INSERT skips stages that already have a row of this round.
            let is_there = state
                .stages
                .iter()
                .any(|row| usize::try_from(row.stage_index) == Ok(successor) && row.round >= round);
            let made_due: Vec<usize> = due(state).iter().map(|due| due.index).collect();
            prop_assert_eq!(made_due, if is_there { vec![] } else { vec![successor] });
        }
    }
    Err(TestCaseError::fail("it does not end"))
}

/// Returns whether each stage has rows of all its branches.
fn is_whole(state: &SessionState) -> bool {
    let chain = &state.chain;
    (0..chain.stages.len()).all(|index| {
        let rows = state
            .stages
            .iter()
            .filter(|row| usize::try_from(row.stage_index) == Ok(index));
        let branches: std::collections::BTreeSet<i32> = rows.map(|row| row.branch).collect();
        branches.len() == chain.stages[index].fixed_branches().len()
    })
}

proptest! {
    /// Runs a random graph whose branches end in random order. Each branch starts once and after its needs, none is
    /// forgotten, and the session ends. Whenever the shortcut returns a stage, the end made that stage due and no
    /// other. Then a stage or one of its branches is replayed, and the same holds for all stages that need it.
    #[test]
    fn every_graph_runs_to_its_end_and_the_shortcut_agrees(
        chain in graphs(), order in proptest::collection::vec(any::<u8>(), 64), replayed in any::<usize>(), one_branch in any::<bool>(),
    ) {
        let mut state = state(chain.clone(), &[]);
        let mut dice = order.into_iter().cycle();
        run(&mut state, &mut dice)?;
        prop_assert!(is_whole(&state), "a branch was forgotten");
        prop_assert!(matches!(decide(&state), Decision::Finish(_)));

        let mut rows: Vec<StageAttempt> = state.stages.clone();
        retain_current(&mut rows, StageAttempt::place);
        let chosen = rows[replayed % rows.len()].clone();
        let last = state.stages.iter().filter(|row| row.stage_index == chosen.stage_index).map(|row| row.attempt).max().unwrap_or(0);
        let again = rows.iter().filter(|row| row.stage_index == chosen.stage_index && (!one_branch || row.branch == chosen.branch));
        for (attempt, row) in (last + 1..).zip(again) {
            state.stages.push(StageAttempt {
                execution_id: ExecutionId::generate(), attempt, round: 1, status: Active, ..row.clone()
            });
        }
        run(&mut state, &mut dice)?;
        prop_assert!(matches!(decide(&state), Decision::Finish(_)));
        let mut rows = state.stages.clone();
        retain_current(&mut rows, StageAttempt::place);
        let chosen = usize::try_from(chosen.stage_index).expect("small");
        for row in rows {
            let index = usize::try_from(row.stage_index).expect("small");
            let depends = crate::ancestors(&chain.stages, index).contains(&chosen);
            prop_assert_eq!(depends && row.round == 1 || index == chosen, depends || index == chosen, "stage {} of round {}", index, row.round);
            prop_assert!(depends || index == chosen || row.round == 0, "stage {} ran again", index);
        }
    }
}
