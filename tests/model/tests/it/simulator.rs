//! A hundred thousand random histories: nothing that must not be is seen in any of them.
//!
//! `TARSY_MODEL_SEED=<seed> cargo test -p tarsy-model-check --test it simulator -- --nocapture`
//! replays one and tells all that happened in it.

use tarsy_model_check::{Rules, Scale, Violation, simulate};

const HISTORIES: u64 = 100_000;

/// Replays the history of this seed alone.
const SEED: &str = "TARSY_MODEL_SEED";

#[test]
fn no_history_breaks_an_invariant() {
    if let Ok(seed) = std::env::var(SEED) {
        let history = simulate(seed.parse().unwrap(), Rules::ALL, Scale::SMALL);
        panic!("seed {seed}: {history:#?}");
    }
    let mut refused = 0;
    for seed in 0..HISTORIES {
        let history = simulate(seed, Rules::ALL, Scale::SMALL);
        assert_eq!(
            history.violation,
            None,
            "replay with {SEED}={seed}; the last events: {:#?}",
            &history.actions[history.actions.len().saturating_sub(12)..]
        );
        refused += u64::from(history.refused);
    }
    assert!(
        refused > HISTORIES / 2,
        "too few stale writes were tried to show anything: {refused}"
    );
}

/// The first violation that histories without one of the protections show.
fn found(rules: Rules) -> Option<Violation> {
    (0..HISTORIES).find_map(|seed| simulate(seed, rules, Scale::SMALL).violation)
}

#[test]
fn each_protection_is_missed_when_it_is_off() {
    let without_fence = found(Rules {
        fence: false,
        ..Rules::ALL
    });
    assert!(
        matches!(
            without_fence,
            Some(
                Violation::StaleWrite
                    | Violation::EndsTwice
                    | Violation::EpochFell
                    | Violation::Orphan
            )
        ),
        "{without_fence:?}"
    );
    assert_eq!(
        found(Rules {
            crash_cap: false,
            ..Rules::ALL
        }),
        Some(Violation::Uncapped)
    );
    assert_eq!(
        found(Rules {
            isolation: false,
            ..Rules::ALL
        }),
        Some(Violation::Condemned)
    );
    assert_eq!(
        found(Rules {
            intent: false,
            ..Rules::ALL
        }),
        Some(Violation::CalledAgain)
    );
    assert!(
        found(Rules {
            revoke: false,
            ..Rules::ALL
        })
        .is_some()
    );
    assert!(
        found(Rules {
            begin_holds: false,
            ..Rules::ALL
        })
        .is_some()
    );
    assert!(
        found(Rules {
            lasting_epochs: false,
            ..Rules::ALL
        })
        .is_some()
    );
    assert_eq!(
        found(Rules {
            resume: false,
            ..Rules::ALL
        }),
        Some(Violation::BoughtAgain)
    );
}
