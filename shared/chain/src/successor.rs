//! A shortcut past [`decide`](crate::decide()) for a stage whose end makes exactly one other stage due.

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
    let name = &ended.name;
    let mut dependents = (index + 1..stages.len()).filter(|later| match &stages[*later].needs {
        None => *later == index + 1,
        Some(needs) => needs.contains(name),
    });
    let next = dependents.next()?;
    let stage = &stages[next];
    let needs_it_alone = stage.needs.as_ref().is_none_or(|needs| needs.len() == 1);
    let one_of_one = ended.branches.is_none() && stage.branches.is_none();
    let is_sole = dependents.next().is_none() && needs_it_alone && stage.when.is_none();
    let is_run = stage.kind.as_wait().is_none();
    (is_sole && one_of_one && is_run).then_some((next, stage))
}
