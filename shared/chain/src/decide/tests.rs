mod graphs;
mod held;

use serde_json::json;
use tarsy_model::{ExecutionId, StageStatus};

use super::*;
use crate::graph::tests::chain;
use crate::{BranchSource, Branches, ChainDefinition, StageFacts, StageKind, WaitStage};
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

/// Returns the due stages of a started session. Waiting stages come first.
fn due(state: &SessionState) -> Vec<DueStage> {
    match decide(state) {
        Decision::Start(stages) | Decision::Wait(stages) => stages,
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

/// Returns the decision in short form: positions of due stages, of stages settled without a run (with `~`), or the
/// end.
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

/// Returns a chain of triage, three parallel branches and a synthesis of all.
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
fn a_branch_that_was_never_started_is_due_while_others_run() {
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
    state.stages[0].error_message = Some("condition not met: false".into());
    assert_eq!(next(&state), "failed Some(Failed)");
}

#[test]
fn a_failed_session_names_the_cause_and_no_condition_of_a_skipped_stage() {
    let chain = chain(&[("a", "-", "false"), ("b", "-", ""), ("c", "b", "false")]);
    let error = |stages: &[(usize, StageStatus, &str)]| {
        let rows: Vec<_> = stages.iter().map(|row| (row.0, row.1, 0)).collect();
        let mut state = state(chain.clone(), &rows);
        for (row, (_, _, why)) in state.stages.iter_mut().zip(stages) {
            row.error_message = Some((*why).to_owned());
        }
        match decide(&state) {
            Decision::Finish(end) => end.error,
            _ => None,
        }
    };
    let skip = "condition not met: false";
    assert_eq!(
        error(&[
            (0, Skipped, skip),
            (1, Failed, "the model is down"),
            (2, Skipped, skip)
        ])
        .as_deref(),
        Some("no answer: b: the model is down")
    );
    // Nothing failed, so the reasons why nothing ran are the error.
    assert_eq!(
        error(&[(0, Skipped, skip), (1, Skipped, skip), (2, Skipped, skip)]).as_deref(),
        Some(
            "no answer: a: condition not met: false; b: condition not met: false; c: condition not met: false"
        )
    );
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
        Some("the chain can't be run: it needs `z`, which is not a stage of this chain")
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
        ("beside", "", ""),
        ("fix", "gate", "stages.gate.data.approved"),
    ]);
    chain.stages[0].kind = StageKind::Wait(WaitStage::Approval {
        role: tarsy_model::Role::Operator,
        expires_ms: 1,
    });
    assert_eq!(next(&state(chain.clone(), &[])), "wait 0");
    let waits = (0, StageStatus::Waiting, 0);
    assert_eq!(next(&state(chain.clone(), &[waits])), "start 1 as 0.1");
    let both = state(chain.clone(), &[waits, (1, Completed, 0)]);
    assert_eq!(next(&both), "nothing");
    let decided = |approved: bool| {
        let mut state = state(chain.clone(), &[(0, Completed, 0), (1, Failed, 0)]);
        let gate = state.stages[0].execution_id;
        let data = json!({"result": "..", "data": {"approved": approved}});
        state.facts = Some(StageFacts {
            alert: json!({}),
            outputs: [(gate, data)].into(),
        });
        state
    };
    assert_eq!(next(&decided(true)), "start 2 as 0.1");
    assert_eq!(next(&decided(false)), "skipped 2");
    let rows = [(0, Completed, 0), (1, Failed, 0), (2, Skipped, 0)];
    assert_eq!(next(&state(chain, &rows)), "failed Some(Partial)");
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
        "failed to evaluate the stage's list of branches: its list has 33 items; at most 32 are possible"
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
