//! Finds stages that are outdated, because a stage that they need was replayed.

use crate::StageDefinition;
use crate::graph::ancestors;

/// Returns the first stage that the one at `index` needs, directly or indirectly, and that is outdated: a stage that
/// it needs itself was replayed, and it has not run since. `rounds` contains stage and round of each current row of an
/// ended session.
///
/// Outdated stages remain if a session is cancelled during a replay. A stage that needs an outdated one can't be
/// replayed before it: the rule would run the outdated stage again afterwards, and the results that depend on it would
/// not follow.
#[must_use]
pub fn outdated_ancestor(
    stages: &[StageDefinition],
    index: usize,
    rounds: &[(usize, i32)],
) -> Option<usize> {
    let of = |stage: usize| {
        let rows = rounds.iter().filter(move |(of, _)| *of == stage);
        rows.map(|(_, round)| *round)
    };
    ancestors(stages, index).into_iter().find(|stage| {
        let own = of(*stage).min();
        let newer = |other: usize| of(other).any(|round| own.is_some_and(|own| round > own));
        ancestors(stages, *stage).into_iter().any(newer)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_that_a_cancelled_replay_left_outdated_is_found() {
        let stages = ["a", "b", "c"].map(|name| StageDefinition::new(name, "x"));
        let sound = [(0, 1), (1, 1), (2, 0)];
        assert_eq!(outdated_ancestor(&stages, 2, &sound), None);
        // `a` was run again, and the session was cancelled before `b` ran again.
        let left = [(0, 1), (1, 0), (2, 0)];
        assert_eq!(outdated_ancestor(&stages, 2, &left), Some(1));
        assert_eq!(
            outdated_ancestor(&stages, 1, &left),
            None,
            "it can be replayed itself"
        );
        assert_eq!(outdated_ancestor(&stages, 0, &left), None);
    }

    #[test]
    fn one_branch_that_was_run_again_outdates_nothing_before_it() {
        let stages = ["a", "b", "c"].map(|name| StageDefinition::new(name, "x"));
        let branch = [(0, 0), (1, 0), (1, 1), (2, 0)];
        assert_eq!(outdated_ancestor(&stages, 2, &branch), None);
        let since = [(0, 1), (1, 0), (1, 1), (2, 1)];
        assert_eq!(outdated_ancestor(&stages, 2, &since), Some(1));
    }
}
