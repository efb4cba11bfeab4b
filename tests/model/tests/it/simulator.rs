//! Plays a hundred thousand random histories. None of them may show a violation.
//!
//! `TARSY_MODEL_SEED=<seed> cargo test -p tarsy-model-check --test it simulator -- --nocapture` replays one history and
//! prints all its events.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use tarsy_model_check::{Action, Rules, Scale, Violation, simulate};

const HISTORIES: u64 = 100_000;

/// Environment variable with a seed. Only the history of this seed is replayed.
const SEED: &str = "TARSY_MODEL_SEED";
/// The same for chains that are graphs.
const GRAPH_SEED: &str = "TARSY_MODEL_GRAPH_SEED";
/// The same for agents that dispatch child sessions.
const CHILDREN_SEED: &str = "TARSY_MODEL_CHILDREN_SEED";

#[test]
fn no_history_breaks_an_invariant() {
    check(SEED, Scale::SMALL);
}

#[test]
fn no_history_of_graphs_breaks_an_invariant() {
    check(GRAPH_SEED, Scale::GRAPHS);
}

#[test]
fn no_history_of_child_sessions_breaks_an_invariant() {
    check(CHILDREN_SEED, Scale::CHILDREN);
}

fn check(name: &str, scale: Scale) {
    if let Ok(seed) = std::env::var(name) {
        let history = simulate(seed.parse().unwrap(), Rules::ALL, scale);
        panic!(
            "seed {seed}: {:?} {}",
            history.violation,
            timeline(&history.actions)
        );
    }
    let mut refused = 0;
    for seed in 0..HISTORIES {
        let history = simulate(seed, Rules::ALL, scale);
        assert_eq!(
            history.violation,
            None,
            "replay with {name}={seed}; {}",
            timeline(&history.actions)
        );
        refused += u64::from(history.refused);
    }
    assert!(
        refused > HISTORIES / 2,
        "too few stale writes were tried to show anything: {refused}"
    );
}

/// Returns a line for each event.
fn timeline(actions: &[Action]) -> String {
    // The last events of a history that never ends show nothing.
    let lines = actions
        .iter()
        .take(300)
        .map(|action| format!("\n    {action:?}"));
    lines.collect()
}

/// Returns the first violation that histories with one of the protections off show.
fn found(rules: Rules) -> Option<Violation> {
    found_in(rules, Scale::SMALL)
}

fn found_in(rules: Rules, scale: Scale) -> Option<Violation> {
    (0..HISTORIES).find_map(|seed| simulate(seed, rules, scale).violation)
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
            start_in_live: false,
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
    // The shorter the chain, the sooner a person cancels a replay halfway.
    let outdated = found(Rules {
        refuse_outdated: false,
        ..Rules::ALL
    });
    assert!(
        matches!(outdated, Some(Violation::OutOfOrder | Violation::OldInput)),
        "{outdated:?}"
    );
    assert_eq!(
        found(Rules {
            resume: false,
            ..Rules::ALL
        }),
        Some(Violation::BoughtAgain)
    );
}

#[test]
fn each_protection_of_graphs_is_missed_when_it_is_off() {
    let without = |rules: Rules| found_in(rules, Scale::GRAPHS);
    let unique_attempt = Rules {
        unique_attempt: false,
        ..Rules::ALL
    };
    assert_eq!(without(unique_attempt), Some(Violation::StartedTwice));
    let decided_once = Rules {
        decided_once: false,
        ..Rules::ALL
    };
    assert_eq!(without(decided_once), Some(Violation::DecidedTwice));
    let heed_denial = Rules {
        heed_denial: false,
        ..Rules::ALL
    };
    assert_eq!(without(heed_denial), Some(Violation::Unapproved));
    let sole_successor = Rules {
        sole_successor: false,
        ..Rules::ALL
    };
    assert_eq!(without(sole_successor), Some(Violation::OtherNext));
    let revoke_on_replay = Rules {
        revoke_on_replay: false,
        ..Rules::ALL
    };
    assert!(without(revoke_on_replay).is_some());
    let cut_on_give_up = Rules {
        cut_on_give_up: false,
        ..Rules::ALL
    };
    // A chain job must end four workers while a stage of its session waits.
    let long = Scale {
        sessions: 1,
        shapes: (12, 13),
        events: 250,
    };
    assert!(found_in(cut_on_give_up, long).is_some());
}

#[test]
fn each_protection_of_child_sessions_is_missed_when_it_is_off() {
    let without = |rules: Rules| found_in(rules, Scale::CHILDREN);
    let one_child_a_call = Rules {
        one_child_a_call: false,
        ..Rules::ALL
    };
    assert_eq!(without(one_child_a_call), Some(Violation::DispatchedTwice));
    let bounded_children = Rules {
        bounded_children: false,
        ..Rules::ALL
    };
    assert_eq!(without(bounded_children), Some(Violation::Unbounded));
    let all_children_end = Rules {
        all_children_end: false,
        ..Rules::ALL
    };
    assert_eq!(without(all_children_end), Some(Violation::FreedEarly));
    let decided_once = Rules {
        decided_once: false,
        ..Rules::ALL
    };
    assert_eq!(without(decided_once), Some(Violation::DecidedTwice));
    let cancel_children = Rules {
        cancel_children: false,
        ..Rules::ALL
    };
    assert_eq!(without(cancel_children), Some(Violation::Stray));
    let spend_at_top = Rules {
        spend_at_top: false,
        ..Rules::ALL
    };
    assert_eq!(without(spend_at_top), Some(Violation::Overspent));
}
