//! What the end of a stage leads to: a shortcut past [`decide`](crate::decide()) for a stage whose end makes exactly one other stage due.

use crate::StageDefinition;

/// The stage that the end of the stage at `index` makes due, if [`decide`](crate::decide()) can have no other answer.
///
/// `None` leaves the decision to `decide`: the stage is the last one, several stages need it, the one that does has
/// a condition or other needs, one of the two has branches, or it is a wait, which no worker runs. The answer holds whatever came of the stage, since a failure is data for the next one, and it holds
/// for a stage that ran: the end of a skipped stage is decided.
#[must_use]
pub fn sole_successor(
    stages: &[StageDefinition],
    index: usize,
) -> Option<(usize, &StageDefinition)> {
    let ended = stages.get(index)?;
    let mut dependents = dependents(stages, index);
    let next = dependents.next()?;
    let stage = &stages[next];
    let needs_it_alone = stage.needs.as_ref().is_none_or(|needs| needs.len() == 1);
    let one_of_one = ended.branches.is_none() && stage.branches.is_none();
    let is_sole = dependents.next().is_none() && needs_it_alone && stage.when.is_none();
    let is_run = stage.kind.as_wait().is_none();
    (is_sole && one_of_one && is_run).then_some((next, stage))
}

/// The stages that the end of the stage at `index` may start, at once or when others have ended too, if it can lead to nothing else:
/// some need it, none of them has a condition or waits. Else none.
///
/// A hint for who decides. What is due is for [`decide`](crate::decide()) to say.
#[must_use]
pub fn may_start(stages: &[StageDefinition], index: usize) -> Vec<&StageDefinition> {
    let is_started = |next: &&StageDefinition| next.when.is_none() && next.kind.as_wait().is_none();
    let dependents: Vec<_> = dependents(stages, index)
        .map(|next| &stages[next])
        .collect();
    match dependents.iter().all(is_started) {
        true => dependents,
        false => Vec::new(),
    }
}

/// The stages that need the one at `index`, by their places.
fn dependents(stages: &[StageDefinition], index: usize) -> impl Iterator<Item = usize> {
    let name = stages.get(index).map(|stage| &stage.name);
    (index + 1..stages.len()).filter(move |later| match &stages[*later].needs {
        None => *later == index + 1,
        Some(needs) => name.is_some_and(|name| needs.contains(name)),
    })
}
