use proptest::prelude::*;
use serde_json::json;
use tarsy_model::{ExecutionId, StageStatus};

use super::*;
use crate::graph::tests::chain;
use crate::{ChainDefinition, StageFacts, StageKind, WaitStage, sole_successor};
use StageStatus::{Active, Completed, Failed, Pending, Skipped};

fn state(chain: ChainDefinition, stages: &[(usize, StageStatus, i32)]) -> SessionState {
    let attempt = |(index, status, round): &(usize, StageStatus, i32)| StageAttempt {
        execution_id: ExecutionId::generate(),
        stage_index: i32::try_from(*index).expect("small"),
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
        Decision::Wait(stages) => {
            let words = stages.iter().map(|s| format!("wait {}", s.index));
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
    let facts = |severity: &str| StageFacts {
        alert: json!({}),
        outputs: [(0, json!({"result": "..", "data": {"severity": severity}}))].into(),
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
        outputs: [(0, json!({"result": "..", "data": {}}))].into(),
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

#[test]
fn a_stage_that_waits_is_opened_first_holds_back_what_needs_it_and_is_no_analysis() {
    let mut chain = chain(&[
        ("gate", "-", ""),
        ("beside", "-", ""),
        ("fix", "gate", "stages.gate.data.approved"),
    ]);
    chain.stages[0].kind = StageKind::Wait(WaitStage::Approval {
        role: tarsy_model::Role::Operator,
        expires_ms: 1,
    });
    assert_eq!(next(&state(chain.clone(), &[])), "wait 0");
    let waits = (0, StageStatus::Waiting, 0);
    assert_eq!(next(&state(chain.clone(), &[waits])), "start 1 as 0.1");
    assert_eq!(
        next(&state(chain.clone(), &[waits, (1, Completed, 0)])),
        "nothing"
    );
    let decided = |approved: bool| {
        let mut state = state(chain.clone(), &[(0, Completed, 0), (1, Failed, 0)]);
        state.facts = Some(StageFacts {
            alert: json!({}),
            outputs: [(0, json!({"result": "..", "data": {"approved": approved}}))].into(),
        });
        state
    };
    assert_eq!(next(&decided(true)), "start 2 as 0.1");
    assert_eq!(next(&decided(false)), "skipped 2");
    let ended = state(
        chain.clone(),
        &[(0, Completed, 0), (1, Failed, 0), (2, Skipped, 0)],
    );
    assert_eq!(next(&ended), "failed Some(Partial)");
}

/// A random graph: each stage needs a random set of earlier ones.
fn graphs() -> impl Strategy<Value = ChainDefinition> {
    proptest::collection::vec(any::<(u8, bool, bool)>(), 1..9).prop_map(|bits| {
        let name = |index: usize| format!("s{index}");
        let stages = bits
            .iter()
            .enumerate()
            .map(|(index, (mask, follows, any))| {
                let needs = (0..index).filter(|at| mask & (1 << at) != 0).map(name);
                let stage = crate::StageDefinition::new(name(index), "agent");
                let kind = match mask % 5 {
                    0 => StageKind::Wait(WaitStage::Timer { after_ms: 1 }),
                    _ => stage.kind,
                };
                crate::StageDefinition {
                    kind,
                    needs: (!follows).then(|| needs.collect()),
                    join: if *any { Join::Any } else { Join::All },
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
fn due(state: &SessionState) -> Vec<usize> {
    match decide(state) {
        Decision::Start(stages) | Decision::Wait(stages) => {
            stages.iter().map(|stage| stage.index).collect()
        }
        _ => Vec::new(),
    }
}

/// The same with what is due once those that wait do so.
fn due_now(state: &SessionState) -> Vec<usize> {
    let mut later = state.clone();
    let first = due(state);
    for index in &first {
        let (chain, row) = (state.chain.clone(), (*index, StageStatus::Waiting, 0));
        later
            .stages
            .push(self::state(chain, &[row]).stages.remove(0));
    }
    [first, due(&later)].concat()
}

proptest! {
    /// Run a random graph with stages ending in a random order: each stage starts once, after its needs, and the session ends.
    /// Wherever the shortcut answers, the end made that stage due and nothing else.
    #[test]
    fn every_graph_runs_to_its_end_and_the_shortcut_agrees(chain in graphs(), order in proptest::collection::vec(any::<u8>(), 64)) {
        let mut state = state(chain.clone(), &[]);
        let mut dice = order.into_iter().cycle();
        let graph = Graph::new(&chain).expect("no mistake");
        for _ in 0..100 {
            // Those that wait are due before those that run.
            for index in due_now(&state) {
                let started: Vec<usize> = state.stages.iter().map(|s| usize::try_from(s.stage_index).expect("small")).collect();
                prop_assert!(!started.contains(&index), "stage {index} starts twice");
                if graph.join(index) == Join::All {
                    prop_assert!(graph.needs(index).iter().all(|need| started.contains(need)));
                }
                state.stages.push(self::state(chain.clone(), &[(index, Active, 0)]).stages.remove(0));
            }
            let active: Vec<usize> = (0..state.stages.len()).filter(|at| !state.stages[*at].status.is_terminal()).collect();
            if active.is_empty() {
                break;
            }
            let ending = active[usize::from(dice.next().unwrap_or(0)) % active.len()];
            let index = usize::try_from(state.stages[ending].stage_index).expect("small");
            prop_assert!(due(&state).is_empty());
            state.stages[ending].status = if dice.next().unwrap_or(0) % 4 == 0 { Failed } else { Completed };
            if let Some((successor, _)) = sole_successor(&chain.stages, index) {
                prop_assert_eq!(due(&state), vec![successor]);
            }
        }
        prop_assert_eq!(state.stages.len(), chain.stages.len(), "a stage was forgotten");
        prop_assert!(matches!(decide(&state), Decision::Finish(_)));
    }
}
