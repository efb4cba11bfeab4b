//! A power loss undoes a begin, a person deletes the job, and the same worker claims the job that replaces it.

use tarsy_model_check::{Action, Fleet, Role, Rules, Shape, Violation};

const CHAIN: u8 = 0;
const STAGE: u8 = 1;

fn play(rules: Rules) -> Fleet {
    let mut fleet = Fleet::new(rules, &[Role::Chain, Role::Stage], 1);
    let accept = Action::Accept {
        shape: Shape::straight(1),
        poison: None,
    };
    let take = |worker, job| Action::Claim { worker, job };
    let step = |worker, hand| Action::Move { worker, hand };
    // Commits of claims and begins don't wait for the disk, so the power loss undoes those of job 1. Its run continues.
    let forgotten = [
        accept,
        take(CHAIN, 0),
        step(CHAIN, 0),
        step(CHAIN, 0),
        take(STAGE, 1),
        step(STAGE, 0),
        Action::PowerLoss,
        Action::LoseJob { job: 1 },
        Action::Repair,
        take(STAGE, 2),
        step(STAGE, 1),
    ];
    forgotten.into_iter().for_each(|action| fleet.apply(action));
    // The old run writes, makes its call and writes the result. Then the new run does the same.
    for hand in [0, 1] {
        for _ in 0..3 {
            if fleet.violation().is_none() && usize::from(hand) < fleet.workers[1].hands.len() {
                fleet.apply(step(STAGE, hand));
            }
        }
    }
    fleet
}

#[test]
fn a_run_that_postgres_forgot_writes_nothing_next_to_the_one_after_it() {
    let fleet = play(Rules::ALL);
    assert_eq!(fleet.violation(), None);
    assert!(fleet.refused > 0, "the old run's write is refused");
}

#[test]
fn without_epochs_above_the_forgotten_ones_both_write() {
    let rules = Rules {
        fresh_epochs: false,
        ..Rules::ALL
    };
    assert_eq!(play(rules).violation(), Some(Violation::BoughtAgain));
}
