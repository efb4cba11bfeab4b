//! Checks every state that a small fleet can reach with an agent that dispatches others. With one of the protections
//! off, the checker finds the path to the violation.

use tarsy_model_check::{Rules, Shape, Violation};

use crate::small_graph::{SMALL, SmallGraph, exhaust, found};

const LEAD: SmallGraph = SmallGraph {
    shape: Shape::LEAD,
    chain_workers: 1,
    stage_workers: 2,
    ..SMALL
};

#[test]
fn a_stage_that_waits_for_its_child_continues_once() {
    exhaust(SmallGraph {
        crashes: 1,
        stage_workers: 1,
        ..LEAD
    });
}

#[test]
fn the_end_of_a_child_that_meets_the_wait_of_its_parent_is_not_missed() {
    exhaust(SmallGraph {
        chain_workers: 2,
        stage_workers: 1,
        ..LEAD
    });
}

#[test]
fn a_cancelled_session_takes_its_children_with_it() {
    exhaust(SmallGraph {
        cancels: 1,
        stage_workers: 1,
        ..LEAD
    });
}

#[test]
fn a_child_that_its_agent_cancels_is_waited_for_no_more() {
    exhaust(SmallGraph {
        shape: Shape::FICKLE,
        crashes: 1,
        ..LEAD
    });
}

fn without(rules: Rules) -> Option<Violation> {
    found(SmallGraph { rules, ..LEAD })
}

#[test]
fn no_check_follows_a_wait_that_began_late() {
    let rules = Rules {
        check_after_wait: false,
        ..Rules::ALL
    };
    assert_eq!(without(rules), Some(Violation::NeverEnds));
}

#[test]
fn no_check_follows_the_end_of_a_child() {
    let rules = Rules {
        check_after_end: false,
        ..Rules::ALL
    };
    assert_eq!(without(rules), Some(Violation::NeverEnds));
}

#[test]
fn a_worker_that_forgets_its_call_dispatches_a_second_child() {
    let rules = Rules {
        one_child_a_call: false,
        ..Rules::ALL
    };
    let crashing = SmallGraph {
        crashes: 1,
        rules,
        ..LEAD
    };
    assert_eq!(found(crashing), Some(Violation::DispatchedTwice));
}

#[test]
fn a_wait_that_keeps_its_job_holds_a_slot() {
    let rules = Rules {
        wait_ends_job: false,
        ..Rules::ALL
    };
    assert_eq!(without(rules), Some(Violation::HoldsSlot));
}

#[test]
fn a_cancelled_session_whose_stage_still_runs_dispatches_a_child() {
    for rules in [
        Rules {
            dispatch_in_live: false,
            ..Rules::ALL
        },
        Rules {
            cancel_children: false,
            ..Rules::ALL
        },
    ] {
        let cancelled = SmallGraph {
            cancels: 1,
            rules,
            ..LEAD
        };
        assert_eq!(found(cancelled), Some(Violation::Stray));
    }
}
