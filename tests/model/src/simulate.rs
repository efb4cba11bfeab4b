//! Random histories from a seed.

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use crate::{Action, Fleet, Role, Rules, Shape, Violation};

/// Number of steps after which an undisturbed fleet has done all its work.
const PATIENCE: usize = 3_000;

/// Size of a history.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    /// Maximum number of alerts.
    pub sessions: usize,
    /// Chains of the sessions, as a range of numbers for [`Shape::nth`].
    pub shapes: (u8, u8),
    /// Number of events before the drain.
    pub events: usize,
}

impl Scale {
    /// Small enough for a hundred thousand histories.
    pub const SMALL: Self = Self {
        sessions: 2,
        shapes: (0, 2),
        events: 90,
    };

    /// Like [`Scale::SMALL`], with chains that are graphs.
    pub const GRAPHS: Self = Self {
        shapes: (3, 13),
        ..Self::SMALL
    };

    /// Like [`Scale::SMALL`], with agents that dispatch child sessions.
    pub const CHILDREN: Self = Self {
        sessions: 5,
        shapes: (14, Shape::COUNT - 1),
        events: 140,
    };
}

/// Result of a history.
#[derive(Debug)]
pub struct History {
    /// All actions, for the report if there is a violation.
    pub actions: Vec<Action>,
    /// Violation that occurred, if any.
    pub violation: Option<Violation>,
    /// Writes under lost claims that were refused.
    pub refused: u16,
}

/// Plays the history of a seed. The same seed always gives the same history.
#[must_use]
pub fn simulate(seed: u64, rules: Rules, scale: Scale) -> History {
    let mut random = SmallRng::seed_from_u64(seed);
    let (mut actions, mut possible) = (Vec::new(), Vec::new());
    let mut fleet = small_fleet(rules);
    // Some histories have many failures, some few, and some many actions of people.
    let (roughness, meddling) = (
        random.random_range(0.0..0.5),
        random.random_range(0.0..0.08),
    );
    for _ in 0..scale.events {
        possible.clear();
        let dice: f64 = random.random();
        if fleet.rows.sessions.len() < scale.sessions
            && (fleet.rows.sessions.is_empty() || dice < 0.02)
        {
            let (first, last) = scale.shapes;
            let shape = Shape::nth(random.random_range(first..=last));
            let poison = random
                .random_bool(0.1)
                .then(|| random.random_range(0..shape.stages()));
            possible.push(Action::Accept { shape, poison });
        } else if dice < meddling {
            fleet.people(&mut possible);
        } else if dice < meddling + roughness {
            fleet.trouble(&mut possible);
        } else {
            fleet.work(&mut possible);
            fleet.answers(&mut possible);
        }
        if possible.is_empty() {
            continue;
        }
        let action = possible[random.random_range(0..possible.len())];
        actions.push(action);
        fleet.apply(action);
        if fleet.violation().is_some() {
            return History {
                actions,
                violation: fleet.violation(),
                refused: fleet.refused,
            };
        }
    }
    let violation = drain(&mut fleet, &mut actions);
    History {
        actions,
        violation,
        refused: fleet.refused,
    }
}

/// Plays a history given as a list of numbers, for shrinking. Each number chooses one of the actions that are possible
/// at that point.
#[must_use]
pub fn play(choices: &[u16], rules: Rules) -> History {
    let mut fleet = small_fleet(rules);
    let (mut actions, mut possible) = (Vec::new(), Vec::new());
    for choice in choices {
        possible.clear();
        if fleet.rows.sessions.len() < 2 {
            let shape = Shape::nth(u8::try_from(choice % 32).unwrap_or(0) % Shape::COUNT);
            possible.push(Action::Accept {
                shape,
                poison: None,
            });
        }
        fleet.work(&mut possible);
        fleet.answers(&mut possible);
        fleet.trouble(&mut possible);
        fleet.people(&mut possible);
        let action = possible[usize::from(*choice) % possible.len()];
        actions.push(action);
        fleet.apply(action);
        if fleet.violation().is_some() {
            return History {
                actions,
                violation: fleet.violation(),
                refused: fleet.refused,
            };
        }
    }
    let violation = drain(&mut fleet, &mut actions);
    History {
        actions,
        violation,
        refused: fleet.refused,
    }
}

fn small_fleet(rules: Rules) -> Fleet {
    Fleet::new(
        rules,
        &[
            Role::Chain,
            Role::Chain,
            Role::Stage,
            Role::Stage,
            Role::Stage,
        ],
        4,
    )
}

/// Heals everything and lets all work be done. Returns a violation that is found then.
pub fn drain(fleet: &mut Fleet, actions: &mut Vec<Action>) -> Option<Violation> {
    let mut possible = Vec::new();
    for _ in 0..PATIENCE {
        possible.clear();
        for worker in 0..crate::tables::small(fleet.workers.len()) {
            let process = fleet.worker(worker);
            if !process.up {
                possible.push(Action::Restart { worker });
            } else if process.frozen {
                possible.push(Action::Thaw { worker });
            }
        }
        // Work first. Sweep and repair only if nothing else can happen.
        fleet.work(&mut possible);
        if possible.is_empty() {
            let before = fleet.rows.clone();
            let sweeps = [Action::Sweep, Action::Repair];
            let strays = (0..crate::tables::small(fleet.workers.len()))
                .map(|worker| Action::ReleaseStrays { worker });
            for action in sweeps.into_iter().chain(strays) {
                actions.push(action);
                fleet.apply(action);
            }
            fleet.hours(&mut possible);
            if let Some(check) = possible.first().copied() {
                actions.push(check);
                fleet.apply(check);
            }
            if fleet.rows == before {
                return fleet.violation().or_else(|| fleet.check_end());
            }
            continue;
        }
        let action = possible[0];
        actions.push(action);
        fleet.apply(action);
        if fleet.violation().is_some() {
            return fleet.violation();
        }
    }
    Some(Violation::NeverEnds)
}
