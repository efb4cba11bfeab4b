//! `spending` of chains and of the file.

use tarsy_config::{Beyond, SpendingLimit};
use tarsy_model::Role;

use crate::support::{load, problems};

fn chain(spending: &str) -> String {
    format!(
        "agent_chains:\n  c:\n    alert_types: [T]\n    spending: {spending}\n    stages:\n      - {{name: a, agent: KubernetesAgent}}\n"
    )
}

#[test]
fn a_chain_defines_what_becomes_of_stages_beyond_its_limit() {
    let limit = |spending: &str| load(&chain(spending), &[]).unwrap().spending.chains["c"].clone();
    let of = |beyond: Beyond| SpendingLimit {
        cost_per_day: 5.0,
        beyond,
    };
    assert_eq!(limit("{cost_per_day: 5}"), of(Beyond::Fail));
    assert_eq!(limit("{cost_per_day: 5, beyond: fail}"), of(Beyond::Fail));
    let waits_for = |role: Role, minutes: u64| {
        of(Beyond::Wait {
            role,
            expires_ms: minutes * 60_000,
        })
    };
    assert_eq!(
        limit("{cost_per_day: 5, beyond: wait}"),
        waits_for(Role::Operator, 60)
    );
    assert_eq!(
        limit("{cost_per_day: 5, beyond: wait, role: admin, expires: 10m}"),
        waits_for(Role::Admin, 10)
    );
}

#[test]
fn what_can_not_be_meant_is_reported_with_its_line() {
    insta::assert_snapshot!(
        [
            "{cost_per_day: 5, beyond: ask}",
            "{cost_per_day: 5, role: admin}",
            "{cost_per_day: 5, beyond: fail, expires: 1h}",
            "{cost_per_day: 5, beyond: wait, expires: 0s}",
            "{cost_per_day: 5, beyond: wait, role: viewer}",
            "{beyond: wait}",
        ]
        .map(|spending| problems(&chain(spending), &[]))
        .join("\n")
    );
}
