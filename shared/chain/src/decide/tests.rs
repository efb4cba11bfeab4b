use proptest::prelude::*;
use serde_json::json;
use tarsy_model::{ExecutionId, StageStatus};

use super::*;
use crate::graph::tests::chain;
use crate::{BranchSource, Branches, ChainDefinition, StageFacts, sole_successor};
use StageStatus::{Active, Completed, Failed, Pending, Skipped};

fn state(chain: ChainDefinition, stages: &[(usize, StageStatus, i32)]) -> SessionState {
    let attempt = |(index, status, round): &(usize, StageStatus, i32)| StageAttempt {
        execution_id: ExecutionId::generate(),
        stage_index: i32::try_from(*index).expect("small"),
        branch: 0,
        branch_count: 1,
        branch_name: None,
        attempt: round + 1,
        round: *round,
        status: *status,
        iteration_strategy: Some("react".into()),
        error_message: (*status == Failed).then(|| "the model is down".into()),
    };
    SessionState {
        session_id: SessionId::generate(),
        status: SessionStatus::InProgress,
        chain,
        runbook: RunbookState::None,
        severity: "warning".into(),
        traceparent: None,
        stages: stages.iter().map(attempt).collect(),
        facts: None,
    }
}

/// Positions of what is due, settled without a run (with `~`), or the end.
fn next(state: &SessionState) -> String {
    match decide(state) {
        Decision::Nothing => "nothing".into(),
        Decision::FetchRunbook { .. } => "runbook".into(),
        Decision::Settle(stages) => {
            let words = stages
                .iter()
                .map(|s| format!("{} {}", s.status, s.stage.index));
            words.collect::<Vec<_>>().join(", ")
        }
        Decision::Start(stages) => {
            let words = stages
                .iter()
                .map(|s| format!("start {} as {}.{}", s.index, s.round, s.attempt));
            words.collect::<Vec<_>>().join(", ")
        }
        Decision::Finish(end) => format!("{} {:?}", end.status, end.outcome),
    }
}

/// Triage, three branches side by side, a synthesis of all.
fn diamond() -> ChainDefinition {
    chain(&[
        ("triage", "-", ""),
        ("logs", "triage", ""),
        ("metrics", "triage", ""),
        ("cluster", "triage", ""),
        ("synthesis", "logs metrics cluster", ""),
    ])
}

#[test]
fn a_sequence_runs_in_order() {
    let line = || chain(&[("a", "-", ""), ("b", "-", "")]);
    assert_eq!(next(&state(line(), &[])), "start 0 as 0.1");
    assert_eq!(next(&state(line(), &[(0, Active, 0)])), "nothing");
    assert_eq!(next(&state(line(), &[(0, Failed, 0)])), "start 1 as 0.1");
    assert_eq!(
        next(&state(line(), &[(0, Completed, 0), (1, Completed, 0)])),
        "completed Some(Completed)"
    );
}

#[test]
fn branches_start_together_and_the_join_waits_for_all() {
    assert_eq!(
        next(&state(diamond(), &[(0, Completed, 0)])),
        "start 1 as 0.1, start 2 as 0.1, start 3 as 0.1"
    );
    let mut rows = vec![
        (0, Completed, 0),
        (1, Failed, 0),
        (2, Active, 0),
        (3, Completed, 0),
    ];
    assert_eq!(next(&state(diamond(), &rows)), "nothing");
    rows[2].1 = Completed;
    assert_eq!(next(&state(diamond(), &rows)), "start 4 as 0.1");
    rows.push((4, Completed, 0));
    assert_eq!(next(&state(diamond(), &rows)), "completed Some(Partial)");
}

#[test]
fn a_branch_that_was_never_started_is_due_beside_those_that_run() {
    let rows = [(0, Completed, 0), (1, Active, 0), (3, Pending, 0)];
    assert_eq!(next(&state(diamond(), &rows)), "start 2 as 0.1");
}

#[test]
fn a_join_of_any_starts_with_the_first_that_ran() {
    let mut chain = diamond();
    chain.stages[4].join = Join::Any;
    let rows = [
        (0, Completed, 0),
        (1, Active, 0),
        (2, Failed, 0),
        (3, Active, 0),
    ];
    assert_eq!(next(&state(chain.clone(), &rows)), "start 4 as 0.1");
    let rows = [
        (0, Completed, 0),
        (1, Active, 0),
        (2, Skipped, 0),
        (3, Active, 0),
    ];
    assert_eq!(next(&state(chain.clone(), &rows)), "nothing");
    let rows = [
        (0, Completed, 0),
        (1, Skipped, 0),
        (2, Skipped, 0),
        (3, Skipped, 0),
    ];
    assert_eq!(next(&state(chain, &rows)), "start 4 as 0.1");
}

#[test]
fn a_false_condition_skips_a_stage_and_what_needs_it_alone() {
    let chain = chain(&[
        ("triage", "-", ""),
        ("deep", "triage", "stages.triage.data.severity == 'high'"),
        ("deeper", "deep", ""),
        ("report", "triage deeper", ""),
    ]);
    let mut state = state(chain, &[(0, Completed, 0)]);
    let triage = state.stages[0].execution_id;
    let facts = |severity: &str| StageFacts {
        alert: json!({}),
        outputs: [(
            triage,
            json!({"result": "..", "data": {"severity": severity}}),
        )]
        .into(),
    };
    state.facts = Some(facts("high"));
    assert_eq!(next(&state), "start 1 as 0.1");
    state.facts = Some(facts("low"));
    assert_eq!(next(&state), "skipped 1");
    let skipped = |index| StageAttempt {
        stage_index: index,
        status: Skipped,
        ..state.stages[0].clone()
    };
    let (one, two) = (skipped(1), skipped(2));
    state.stages.push(one);
    assert_eq!(next(&state), "skipped 2");
    state.stages.push(two);
    assert_eq!(next(&state), "start 3 as 0.1", "one of its needs ran");
}

#[test]
fn a_condition_without_an_answer_fails_its_stage() {
    let chain = chain(&[("a", "-", ""), ("b", "-", "stages.a.data.typo")]);
    let mut state = state(chain, &[(0, Completed, 0)]);
    state.facts = Some(StageFacts {
        alert: json!({}),
        outputs: [(
            state.stages[0].execution_id,
            json!({"result": "..", "data": {}}),
        )]
        .into(),
    });
    assert_eq!(next(&state), "failed 1");
}

#[test]
fn a_session_whose_every_stage_was_skipped_has_no_analysis() {
    let chain = chain(&[("a", "-", "false")]);
    let mut state = state(chain, &[(0, Skipped, 0)]);
    state.stages[0].error_message = Some("its condition is false: false".into());
    assert_eq!(next(&state), "failed Some(Failed)");
}

#[test]
fn a_replay_runs_again_what_needs_it_and_nothing_else() {
    let rows = [
        (0, Completed, 0),
        (1, Completed, 1),
        (2, Completed, 0),
        (3, Completed, 0),
        (4, Completed, 0),
    ];
    assert_eq!(next(&state(diamond(), &rows)), "start 4 as 1.2");
    let mut rows = rows;
    rows[1].2 = 0;
    rows[0].2 = 2;
    assert_eq!(
        next(&state(diamond(), &rows)),
        "start 1 as 2.2, start 2 as 2.2, start 3 as 2.2"
    );
}

#[test]
fn a_chain_that_cannot_be_run_ends_its_session() {
    let chain = chain(&[("a", "z", "")]);
    let Decision::Finish(end) = decide(&state(chain, &[])) else {
        panic!("it goes on");
    };
    assert_eq!(
        end.error.as_deref(),
        Some("the chain can't be run: it needs `z`, which is no stage of this chain")
    );
}

#[test]
fn the_runbook_comes_first_and_only_once() {
    let mut state = state(chain(&[("a", "-", "")]), &[]);
    state.runbook = RunbookState::Unsettled {
        url: "local:x".into(),
    };
    assert_eq!(next(&state), "runbook");
    state.runbook = RunbookState::Failed {
        error: "404".into(),
    };
    assert_eq!(next(&state), "start 0 as 0.1");
    state.chain.on_runbook_error = OnRunbookError::Fail;
    assert_eq!(next(&state), "failed Some(Failed)");
    state.runbook = RunbookState::Fetched;
    assert_eq!(next(&state), "start 0 as 0.1");
}

/// A random graph: each stage needs a random set of earlier ones, and some have branches.
fn graphs() -> impl Strategy<Value = ChainDefinition> {
    proptest::collection::vec(any::<(u8, bool, bool, u8)>(), 1..9).prop_map(|bits| {
        let name = |index: usize| format!("s{index}");
        let stages = bits
            .iter()
            .enumerate()
            .map(|(index, (mask, follows, any, branches))| {
                let needs = (0..index).filter(|at| mask & (1 << at) != 0).map(name);
                crate::StageDefinition {
                    needs: (!follows).then(|| needs.collect()),
                    join: if *any { Join::Any } else { Join::All },
                    branches: (*branches >= 128).then(|| Branches {
                        source: BranchSource::Replicas(u32::from(branches % 3) + 1),
                        success: if *branches >= 192 {
                            Success::Any
                        } else {
                            Success::All
                        },
                    }),
                    ..crate::StageDefinition::new(name(index), "agent")
                }
            });
        ChainDefinition {
            stages: stages.collect(),
            ..chain(&[])
        }
    })
}

/// What a started session is due for.
fn due(state: &SessionState) -> Vec<DueStage> {
    match decide(state) {
        Decision::Start(stages) => stages,
        _ => Vec::new(),
    }
}

fn begun(due: &DueStage) -> StageAttempt {
    StageAttempt {
        execution_id: ExecutionId::generate(),
        stage_index: i32::try_from(due.index).expect("small"),
        branch: due.branch.index,
        branch_count: due.branch.count,
        branch_name: due.branch.name.clone(),
        attempt: due.attempt,
        round: due.round,
        status: Active,
        iteration_strategy: Some("react".into()),
        error_message: None,
    }
}

/// Run a session to its end, its branches ending in the order of the dice.
fn run(state: &mut SessionState, dice: &mut impl Iterator<Item = u8>) -> Result<(), TestCaseError> {
    let chain = state.chain.clone();
    let graph = Graph::new(&chain).unwrap_or_else(|_| Graph::edges(&chain).expect("edges"));
    for _ in 0..200 {
        let started: Vec<usize> = state
            .stages
            .iter()
            .map(|s| usize::try_from(s.stage_index).expect("small"))
            .collect();
        for due in due(state) {
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
            // The statement that hands on leaves alone what is of this round already.
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

/// How many of the stages have rows, and of each whether all its branches have.
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
    /// Run a random graph with branches ending in a random order: each starts once, after its needs, none is forgotten, and the
    /// session ends. Wherever the shortcut answers, the end made that stage due and nothing else. Then a stage or one of its branches is
    /// replayed, and the same holds for all that needs it.
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

#[test]
fn a_stage_has_a_branch_for_each_item_of_its_list() {
    let mut chain = chain(&[("triage", "-", ""), ("hosts", "-", ""), ("report", "-", "")]);
    chain.stages[1].branches = Some(Branches {
        source: BranchSource::Each("stages.triage.data.hosts".into()),
        success: Success::All,
    });
    let mut state = state(chain, &[(0, Completed, 0)]);
    let triage = state.stages[0].execution_id;
    let facts = |hosts: serde_json::Value| {
        Some(StageFacts {
            alert: json!({}),
            outputs: [(triage, json!({"result": "..", "data": {"hosts": hosts}}))].into(),
        })
    };
    state.facts = facts(json!(["a", "b"]));
    let stages = due(&state);
    let seen: Vec<_> = stages
        .iter()
        .map(|due| {
            (
                due.branch.index,
                due.branch.count,
                due.attempt,
                due.branch.item.clone(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [(0, 2, 1, Some(json!("a"))), (1, 2, 2, Some(json!("b")))]
    );
    state.stages.extend(stages.iter().map(begun));
    state.facts = facts(json!(["a", "b", "c"]));
    assert_eq!(next(&state), "nothing", "the list was decided once");
    state.stages.truncate(1);
    state.facts = facts(json!([]));
    assert_eq!(next(&state), "skipped 1");
    state.facts = facts(json!("a"));
    assert_eq!(next(&state), "failed 1");
    state.facts = facts((0..33).collect());
    let Decision::Settle(settled) = decide(&state) else {
        panic!("it starts")
    };
    assert_eq!(
        settled[0].reason,
        "the list of the stage's branches can't be had: its list has 33 items; at most 32 are possible"
    );
}

#[test]
fn conditions_read_branches() {
    let mut chain = chain(&[
        ("logs", "-", ""),
        (
            "deep",
            "-",
            "stages.logs.branches | selectattr('status', 'eq', 'completed') | list | length == 1 and 'disk' in stages.logs.text",
        ),
    ]);
    chain.stages[0].branches = Some(Branches {
        source: BranchSource::Replicas(2),
        success: Success::All,
    });
    let mut state = state(chain, &[]);
    state.stages = due(&state).iter().map(begun).collect();
    state.stages[0].status = Completed;
    state.stages[1].status = Failed;
    state.stages[1].error_message = Some("no model".into());
    state.facts = Some(StageFacts {
        alert: json!({}),
        outputs: [(state.stages[0].execution_id, json!({"result": "disk full"}))].into(),
    });
    assert_eq!(next(&state), "start 1 as 0.1");
}

#[test]
fn a_row_of_a_version_without_branches_is_the_whole_stage() {
    let mut chain = chain(&[("logs", "-", ""), ("report", "-", "")]);
    chain.stages[0].branches = Some(Branches {
        source: BranchSource::Replicas(3),
        success: Success::All,
    });
    assert_eq!(next(&state(chain, &[(0, Completed, 0)])), "start 1 as 0.1");
}

/// The figure is printed; the bound is wide enough for debug builds on a busy machine.
#[test]
fn deciding_a_graph_of_thirty_stages_is_quick() {
    let names: Vec<String> = (0..30).map(|index| format!("stage-{index}")).collect();
    let stages: Vec<(&str, &str, &str)> =
        names.iter().map(|name| (name.as_str(), "-", "")).collect();
    let mut chain = chain(&stages);
    for index in (3..27).step_by(3) {
        chain.stages[index].branches = Some(Branches {
            source: BranchSource::Replicas(3),
            success: Success::All,
        });
    }
    let mut state = state(chain, &[]);
    run(&mut state, &mut std::iter::repeat(1)).expect("it ends");
    state.stages.pop();
    let best = (0..200).map(|_| {
        let begin = std::time::Instant::now();
        std::hint::black_box(decide(&state));
        begin.elapsed()
    });
    let best = best.min().expect("some");
    println!("decide: {best:?} for {} rows", state.stages.len());
    assert!(best < std::time::Duration::from_micros(400), "{best:?}");
}
