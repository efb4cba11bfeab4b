//! `suppress` and `hold` of chains.

use std::time::Duration;

use tarsy_model::{Flapping, Role, Suppression};

use crate::support::{load, problems};

fn chain(suppress: &str) -> String {
    format!(
        "agent_chains:\n  c:\n    alert_types: [T]\n    suppress: {suppress}\n    stages:\n      - {{name: a, agent: KubernetesAgent}}\n"
    )
}

#[test]
fn a_chain_defines_what_it_does_not_investigate_again() {
    let config = load(
        &chain("{cooldown: 15m, flapping: {times: 5, within: 1h}}"),
        &[],
    )
    .unwrap();
    let suppression = Suppression {
        cooldown: Some(Duration::from_mins(15)),
        flapping: Some(Flapping {
            times: 5,
            within: Duration::from_hours(1),
        }),
    };
    assert_eq!(config.suppressions["c"], suppression);
    assert_eq!(
        config.suppressions.len(),
        1,
        "built-in chains suppress nothing"
    );
}

#[test]
fn what_can_not_be_meant_is_reported_with_its_line() {
    insta::assert_snapshot!(
        [
            "{}",
            "{cooldown: 8d}",
            "{cooldown: 0s}",
            "{flapping: {times: 1, within: 1h}}",
            "{flapping: {times: 5}}",
            "{cool_down: 5m}",
        ]
        .map(|suppress| problems(&chain(suppress), &[]))
        .join("\n")
    );
}

fn holding(hold: &str, stage: &str) -> String {
    format!(
        "agent_chains:\n  c:\n    alert_types: [T]\n    hold: {hold}\n    stages:\n      - {{name: {stage}, agent: KubernetesAgent}}\n"
    )
}

#[test]
fn a_chain_defines_which_alerts_wait_for_a_person() {
    let config = load(&holding("{below: High}", "a"), &[]).unwrap();
    let hold = &config.holds["c"];
    assert!(hold.applies("warning") && !hold.applies("critical"));
    assert_eq!((hold.role, hold.expires_ms), (Role::Operator, 86_400_000));
    insta::assert_snapshot!(
        [
            holding("{below: hihg}", "a"),
            holding("{expires: 0s}", "a"),
            holding("{role: viewer}", "a"),
            holding("{}", "hold"),
        ]
        .map(|text| problems(&text, &[]))
        .join("\n")
    );
}
