//! Represents histories as lists of choices, so that a failure is reported with the shortest history that shows it.

use proptest::prelude::*;
use tarsy_model_check::{Rules, play};

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn any_events_in_any_order(choices in proptest::collection::vec(any::<u16>(), 1..120)) {
        let history = play(&choices, Rules::ALL);
        prop_assert_eq!(history.violation, None, "{:#?}", history.actions);
    }
}

#[test]
fn a_missing_fence_shrinks_to_a_short_history() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    let rules = Rules {
        fence: false,
        ..Rules::ALL
    };
    let mut runner = TestRunner::deterministic();
    let broken = |choices: &Vec<u16>| play(choices, rules).violation.is_some();
    let mut tree = (0..2_000)
        .map(|_| {
            proptest::collection::vec(any::<u16>(), 40..120)
                .new_tree(&mut runner)
                .unwrap()
        })
        .find(|tree| broken(&tree.current()))
        .expect("no history of 2,000 misses the fence");
    let mut shortest = tree.current();
    while tree.simplify() || tree.complicate() {
        let now = tree.current();
        if broken(&now) {
            shortest = now;
        } else if !tree.complicate() {
            break;
        }
    }
    assert!(shortest.len() <= 40, "{} choices are left", shortest.len());
}
