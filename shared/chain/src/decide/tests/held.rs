//! Tests sessions that are held until a person starts their investigation.

use serde_json::json;
use tarsy_model::StageStatus;

use super::super::*;
use super::{next, state};
use crate::graph::tests::chain;
use crate::{Hold, StageFacts};
use StageStatus::{Completed, Skipped};

#[test]
fn what_was_held_and_not_approved_is_cancelled_with_the_decision() {
    let hold = Hold {
        below: None,
        role: tarsy_model::Role::Operator,
        expires_ms: 1,
    };
    let chain = chain(&[("a", "-", ""), ("b", "-", "")]).with_hold(&hold);
    assert_eq!(next(&state(chain.clone(), &[])), "wait 0");
    let decided = |approved: bool, rows: &[(usize, StageStatus, i32)]| {
        let mut state = state(chain.clone(), rows);
        let data = json!({"result": "Denied by alex: known", "data": {"approved": approved}});
        let gate = state.stages[0].execution_id;
        state.facts = Some(StageFacts {
            alert: json!({}),
            outputs: [(gate, data)].into(),
        });
        state
    };
    assert_eq!(next(&decided(true, &[(0, Completed, 0)])), "start 1 as 0.1");
    assert_eq!(next(&decided(false, &[(0, Completed, 0)])), "skipped 1");
    let rows = [(0, Completed, 0), (1, Skipped, 0), (2, Skipped, 0)];
    let Decision::Finish(end) = decide(&decided(false, &rows)) else {
        panic!("it ends")
    };
    assert_eq!((end.status, end.outcome), (SessionStatus::Cancelled, None));
    assert_eq!(
        end.error.as_deref(),
        Some("held, and not investigated. Denied by alex: known")
    );
}
