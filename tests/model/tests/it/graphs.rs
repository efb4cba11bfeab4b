//! Every state that a small fleet can reach with a chain that is a graph: branches that end together, gates that several decide,
//! calls that are asked about. Without one of the protections the checker finds the way to the violation.

use stateright::{Checker as _, HasDiscoveries, Model, Property};
use tarsy_model_check::{Action, Fleet, Role, Rules, Shape, Violation};

/// A small fleet with one session, and what may befall it.
#[derive(Clone, Copy)]
struct SmallGraph {
    rules: Rules,
    shape: Shape,
    chain_workers: usize,
    stage_workers: usize,
    calls: usize,
    crashes: usize,
    cancels: usize,
    replays: usize,
}

/// A state, with the troubles that are left.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    fleet: Fleet,
    crashes: usize,
    cancels: usize,
    replays: usize,
}

const SMALL: SmallGraph = SmallGraph {
    rules: Rules::ALL,
    shape: Shape::LEAVES,
    chain_workers: 2,
    stage_workers: 2,
    calls: 0,
    crashes: 0,
    cancels: 0,
    replays: 0,
};

impl Model for SmallGraph {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let chain = (0..self.chain_workers).map(|_| Role::Chain);
        let stage = (0..self.stage_workers).map(|_| Role::Stage);
        let roles: Vec<Role> = chain.chain(stage).collect();
        let mut fleet = Fleet::new(self.rules, &roles, self.calls);
        fleet.apply(Action::Accept {
            shape: self.shape,
            poison: None,
        });
        vec![State {
            fleet,
            crashes: self.crashes,
            cancels: self.cancels,
            replays: self.replays,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        state.fleet.work(actions);
        state.fleet.answers(actions);
        for (worker, process) in (0..=u8::MAX).zip(&state.fleet.workers) {
            match process.up {
                true if state.crashes > 0 => actions.push(Action::Crash { worker }),
                true => {}
                false => actions.push(Action::Restart { worker }),
            }
        }
        if state.crashes < self.crashes {
            actions.push(Action::Sweep);
        }
        let mut people = Vec::new();
        state.fleet.people(&mut people);
        actions.extend(people.into_iter().filter(|action| match action {
            Action::Cancel { .. } => state.cancels > 0,
            Action::Replay { .. } => state.replays > 0,
            Action::Decide { .. } => true,
            _ => false,
        }));
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Crash { .. } => next.crashes -= 1,
            Action::Cancel { .. } => next.cancels -= 1,
            Action::Replay { .. } => next.replays -= 1,
            _ => {}
        }
        next.fleet.apply(action);
        next.fleet.refused = next.fleet.refused.min(1);
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(HOLDS, |_, state: &State| state.fleet.violation().is_none()),
            Property::always(ENDS, |model: &Self, state: &State| {
                let mut possible = Vec::new();
                model.actions(state, &mut possible);
                let stuck = possible
                    .into_iter()
                    .all(|action| model.next_state(state, action).is_none());
                !stuck || state.fleet.check_end().is_none()
            }),
            Property::sometimes("all ends", |_, state: &State| {
                state.fleet.check_end().is_none()
            }),
        ]
    }
}

const HOLDS: &str = "nothing breaks";
const ENDS: &str = "where nothing moves, all work is done";

/// Look at every state that can be reached.
fn exhaust(model: SmallGraph) {
    let checker = model.checker().threads(2).spawn_bfs().join();
    assert!(checker.is_done(), "states are left");
    checker.assert_properties();
}

/// What the checker finds first: a violation, or that work is left where nothing moves.
fn found(model: SmallGraph) -> Option<Violation> {
    let checker = model
        .checker()
        .threads(2)
        .finish_when(HasDiscoveries::AnyFailures)
        .spawn_bfs()
        .join();
    let broken = checker
        .discovery(HOLDS)
        .or_else(|| checker.discovery(ENDS))?;
    let fleet = &broken.last_state().fleet;
    fleet.violation().or_else(|| fleet.check_end())
}

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
fn a_race_is_gone_on_with_once() {
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

/// Calls of the agents that come to the one that may not be repeated.
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
