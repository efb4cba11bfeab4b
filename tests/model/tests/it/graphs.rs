//! Checks every state that a small fleet can reach with a chain that is a graph: branches that end together, gates that
//! several people decide, calls that need approval. With one of the protections off, the checker finds the path to the
//! violation.

use tarsy_model_check::{Rules, Shape, Violation};

use crate::small_graph::{SMALL, SmallGraph, exhaust, found};

#[test]
fn branches_that_end_together_start_the_join_once() {
    exhaust(SmallGraph {
        shape: Shape::REPLICAS,
        ..SMALL
    });
}

#[test]
fn a_statement_that_decides_the_fan_in_itself_forgets_the_join() {
    let rules = Rules {
        fan_in_by_job: false,
        ..Rules::ALL
    };
    let shape = Shape::REPLICAS;
    assert_eq!(
        found(SmallGraph {
            rules,
            shape,
            ..SMALL
        }),
        Some(Violation::NeverEnds)
    );
}

#[test]
fn without_the_unique_key_the_join_is_started_twice() {
    let rules = Rules {
        unique_attempt: false,
        ..Rules::ALL
    };
    let shape = Shape::REPLICAS;
    assert_eq!(
        found(SmallGraph {
            rules,
            shape,
            ..SMALL
        }),
        Some(Violation::StartedTwice)
    );
}

#[test]
fn a_race_is_continued_once() {
    exhaust(SmallGraph {
        shape: Shape::RACE,
        ..SMALL
    });
}

#[test]
fn a_gate_is_decided_once_in_every_order() {
    exhaust(SmallGraph {
        shape: Shape::GATE,
        crashes: 1,
        cancels: 1,
        ..SMALL
    });
}

#[test]
fn without_the_fence_a_gate_is_decided_twice() {
    let rules = Rules {
        decided_once: false,
        ..Rules::ALL
    };
    let shape = Shape::GATE;
    assert_eq!(
        found(SmallGraph {
            rules,
            shape,
            ..SMALL
        }),
        Some(Violation::DecidedTwice)
    );
}

/// Number of calls with which agents reach the call that may not be repeated.
const ALL_CALLS: usize = 4;

#[test]
fn a_call_is_made_once_and_only_if_it_was_approved() {
    exhaust(SmallGraph {
        shape: Shape::CALL,
        chain_workers: 1,
        calls: ALL_CALLS,
        crashes: 1,
        cancels: 1,
        ..SMALL
    });
}

#[test]
fn a_run_that_takes_any_decision_for_an_approval_makes_a_denied_call() {
    let rules = Rules {
        heed_denial: false,
        ..Rules::ALL
    };
    let model = SmallGraph {
        rules,
        shape: Shape::CALL,
        chain_workers: 1,
        calls: ALL_CALLS,
        ..SMALL
    };
    assert_eq!(found(model), Some(Violation::Unapproved));
}

/// A session with two last stages, one of which is replayed.
const REPLAYED: SmallGraph = SmallGraph {
    shape: Shape::LEAVES,
    stage_workers: 1,
    replays: 1,
    cancels: 1,
    ..SMALL
};

#[test]
fn a_replay_is_not_ended_by_what_was_decided_before_it() {
    exhaust(REPLAYED);
}

#[test]
fn without_its_revocation_an_old_decision_ends_the_replayed_session() {
    let rules = Rules {
        revoke_on_replay: false,
        ..Rules::ALL
    };
    let found = found(SmallGraph { rules, ..REPLAYED });
    assert!(
        matches!(found, Some(Violation::Orphan | Violation::OutOfOrder)),
        "{found:?}"
    );
}
