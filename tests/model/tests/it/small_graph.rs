//! Checks every state that a small fleet can reach with one session, or finds the first violation.

use stateright::{Checker as _, HasDiscoveries, Model, Property};
use tarsy_model_check::{Action, Fleet, Role, Rules, Shape, Violation};

/// A small fleet with one session, and the failures that may happen.
#[derive(Clone, Copy)]
pub(crate) struct SmallGraph {
    pub(crate) rules: Rules,
    pub(crate) shape: Shape,
    pub(crate) chain_workers: usize,
    pub(crate) stage_workers: usize,
    pub(crate) calls: usize,
    pub(crate) crashes: usize,
    pub(crate) cancels: usize,
    pub(crate) replays: usize,
}

/// A state, with the number of failures that may still happen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    fleet: Fleet,
    crashes: usize,
    cancels: usize,
    replays: usize,
}

pub(crate) const SMALL: SmallGraph = SmallGraph {
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

/// Checks every reachable state.
pub(crate) fn exhaust(model: SmallGraph) {
    let checker = model.checker().threads(2).spawn_bfs().join();
    assert!(checker.is_done(), "states are left");
    checker.assert_properties();
}

/// Returns what the checker finds first: a violation, or a state in which work is left but nothing can happen.
pub(crate) fn found(model: SmallGraph) -> Option<Violation> {
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
