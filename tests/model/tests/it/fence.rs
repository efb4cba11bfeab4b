//! Checks every state that a small fleet can reach. The fence holds in all of them, and without it the checker finds
//! the path to the violation.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use stateright::{Checker as _, Model, Property};
use tarsy_model_check::{Action, Fleet, Role, Rules, Shape, Violation};

/// A small fleet, and the failures that may happen.
struct SmallFleet {
    rules: Rules,
    stages: u8,
    stage_workers: usize,
    calls: usize,
    crashes: usize,
    expiries: usize,
    /// Whether there is another chain, whose only stage kills its workers.
    with_poison: bool,
}

/// A state, with the number of failures that may still happen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    fleet: Fleet,
    crashes: usize,
    expiries: usize,
}

impl Model for SmallFleet {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let mut roles = vec![Role::Chain];
        roles.extend((0..self.stage_workers).map(|_| Role::Stage));
        let mut fleet = Fleet::new(self.rules, &roles, self.calls);
        fleet.apply(Action::Accept {
            shape: Shape::straight(self.stages),
            poison: None,
        });
        if self.with_poison {
            fleet.apply(Action::Accept {
                shape: Shape::straight(1),
                poison: Some(0),
            });
        }
        vec![State {
            fleet,
            crashes: self.crashes,
            expiries: self.expiries,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        state.fleet.work(actions);
        if state.crashes > 0 {
            let up = state
                .fleet
                .workers
                .iter()
                .enumerate()
                .filter(|(_, worker)| worker.up);
            actions.extend(up.map(|(worker, _)| Action::Crash {
                worker: u8::try_from(worker).unwrap(),
            }));
        }
        if state.expiries > 0 {
            state.fleet.expiries(actions);
            state.fleet.unscheduled(actions);
        }
        let dead = state
            .fleet
            .workers
            .iter()
            .enumerate()
            .filter(|(_, worker)| !worker.up);
        actions.extend(dead.map(|(worker, _)| Action::Restart {
            worker: u8::try_from(worker).unwrap(),
        }));
        actions.push(Action::Sweep);
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Crash { .. } => next.crashes -= 1,
            Action::Expire { .. } | Action::Unschedule { .. } => next.expiries -= 1,
            _ => {}
        }
        next.fleet.apply(action);
        // Only whether a write was refused matters, not how often.
        next.fleet.refused = next.fleet.refused.min(1);
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("nothing breaks", |_, state: &State| {
                state.fleet.violation().is_none()
            }),
            Property::always(
                "where nothing moves, all work is done",
                |model: &Self, state: &State| {
                    let mut possible = Vec::new();
                    model.actions(state, &mut possible);
                    let stuck = possible
                        .into_iter()
                        .all(|action| model.next_state(state, action).is_none());
                    !stuck || state.fleet.check_end().is_none()
                },
            ),
            Property::sometimes("a stale write is refused", |_, state: &State| {
                state.fleet.refused > 0
            }),
            Property::sometimes("all ends", |_, state: &State| {
                state.fleet.check_end().is_none()
            }),
        ]
    }
}

const ONE_STAGE: SmallFleet = SmallFleet {
    rules: Rules::ALL,
    stages: 1,
    stage_workers: 2,
    calls: 1,
    crashes: 2,
    expiries: 1,
    with_poison: false,
};

/// Checks every reachable state. Fails if a limit stops the search before.
fn exhaust(model: SmallFleet) {
    let checker = model.checker().threads(2).spawn_bfs().join();
    assert!(checker.is_done(), "states are left");
    checker.assert_properties();
}

#[test]
fn one_stage_two_workers_two_crashes() {
    exhaust(ONE_STAGE);
}

#[test]
fn two_stages_two_workers_a_crash_and_a_lost_lease() {
    let model = SmallFleet {
        stages: 2,
        calls: 1,
        crashes: 1,
        ..ONE_STAGE
    };
    exhaust(model);
}

#[test]
fn one_stage_three_workers_two_lost_leases() {
    let model = SmallFleet {
        stage_workers: 3,
        calls: 1,
        crashes: 0,
        expiries: 2,
        ..ONE_STAGE
    };
    exhaust(model);
}

/// A poisoned stage and another stage on the same, only stage worker.
const WITH_POISON: SmallFleet = SmallFleet {
    stage_workers: 1,
    crashes: 0,
    expiries: 0,
    with_poison: true,
    ..ONE_STAGE
};

#[test]
fn poison_ends_and_condemns_no_stage_next_to_it() {
    let checker = WITH_POISON.checker().threads(2).spawn_bfs().join();
    assert!(checker.is_done(), "states are left");
    checker.assert_no_discovery("nothing breaks");
    checker.assert_no_discovery("where nothing moves, all work is done");
    checker.assert_any_discovery("all ends");
}

#[test]
fn without_isolation_poison_condemns_what_runs_next_to_it() {
    let rules = Rules {
        isolation: false,
        ..Rules::ALL
    };
    let model = SmallFleet {
        rules,
        ..WITH_POISON
    };
    let checker = model.checker().threads(2).spawn_bfs().join();
    let way = checker.assert_any_discovery("nothing breaks");
    let violation = way.last_state().fleet.violation();
    assert_eq!(violation, Some(Violation::Condemned));
}

#[test]
fn without_the_fence_the_way_to_a_violation_is_found() {
    let rules = Rules {
        fence: false,
        ..Rules::ALL
    };
    let checker = SmallFleet { rules, ..ONE_STAGE }
        .checker()
        .threads(2)
        .spawn_bfs()
        .join();
    let way = checker
        .discovery("nothing breaks")
        .expect("the checker must find the missing fence");
    let violation = way.last_state().fleet.violation();
    assert!(
        matches!(
            violation,
            Some(
                Violation::StaleWrite
                    | Violation::EndsTwice
                    | Violation::EpochFell
                    | Violation::Orphan
            )
        ),
        "{violation:?}"
    );
}
