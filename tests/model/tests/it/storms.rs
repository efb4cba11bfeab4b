//! Random deaths of workers must fail no stage. Poison must end, with or without such deaths.

use tarsy_model_check::{Damage, MOST_POISONED, Storm};

/// Number of storms of each kind.
const STORMS: u64 = 500;
/// Maximum number of these storms in which a stage may be given up. It is a stage that dies with the first four
/// workers.
const UNLUCKY: usize = 3;

/// Four workers and about one kill per second, while 24 chains make calls of one second.
const TWELVE_KILLS: Storm = Storm {
    workers: 4,
    chains: 24,
    call_seconds: 1,
    kills: 12,
    every: 5..=25,
    poisoned: 0,
    wait_seconds: 1,
};

/// Longer storm, with forty kills.
const FORTY_KILLS: Storm = Storm {
    chains: 80,
    kills: 40,
    every: 10..=30,
    ..TWELVE_KILLS
};

/// Every call takes longer than the time between two kills, so that few runs make progress.
const SLOW_CALLS: Storm = Storm {
    chains: 40,
    call_seconds: 5,
    ..FORTY_KILLS
};

/// Returns the number of storms of this kind in which an innocent stage was given up.
fn unjust(storm: &Storm) -> usize {
    let condemns = |seed: &u64| storm.pass(*seed).condemned > 0;
    (0..STORMS).filter(condemns).count()
}

#[test]
fn random_deaths_give_no_stage_up() {
    for storm in [TWELVE_KILLS, FORTY_KILLS, SLOW_CALLS] {
        let unjust = unjust(&storm);
        assert!(unjust <= UNLUCKY, "{unjust} of {STORMS} storms: {storm:?}");
    }
}

#[test]
fn without_the_wait_some_stages_are_given_up() {
    for (storm, least) in [(TWELVE_KILLS, 5), (FORTY_KILLS, 5), (SLOW_CALLS, 200)] {
        let hasty = Storm {
            wait_seconds: 0,
            ..storm
        };
        let unjust = unjust(&hasty);
        assert!(unjust >= least, "{unjust} of {STORMS} storms: {hasty:?}");
    }
}

#[test]
fn poison_ends_after_four_workers_if_no_other_dies() {
    let calm = Storm {
        kills: 0,
        poisoned: 1,
        ..TWELVE_KILLS
    };
    let four = Damage {
        most_poisoned: 4,
        ..Damage::default()
    };
    (0..STORMS).for_each(|seed| assert_eq!(calm.pass(seed), four));
}

#[test]
fn poison_ends_in_a_storm_and_next_to_other_poison() {
    let several = Storm {
        kills: 0,
        poisoned: 6,
        ..TWELVE_KILLS
    };
    let stormy = Storm {
        poisoned: 2,
        ..FORTY_KILLS
    };
    for storm in [several, stormy] {
        let damage = (0..STORMS).map(|seed| storm.pass(seed));
        let worst = damage.fold(Damage::default(), |worst, damage| Damage {
            condemned: worst.condemned + damage.condemned,
            most_poisoned: worst.most_poisoned.max(damage.most_poisoned),
            unending: worst.unending + damage.unending,
        });
        assert_eq!((worst.condemned, worst.unending), (0, 0), "{storm:?}");
        assert!(worst.most_poisoned <= MOST_POISONED, "{worst:?}: {storm:?}");
    }
}
