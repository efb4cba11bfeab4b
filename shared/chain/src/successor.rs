//! A shortcut past [`decide`](crate::decide()), for a stage whose end makes exactly one other stage due.

use crate::StageDefinition;

/// Returns the stage that the end of the stage at `index` makes due, if [`decide`](crate::decide()) can have no other
/// result.
///
/// Returns `None` if `decide` must decide: if the stage is the last one, several stages need it, or one of the two has
/// branches. Also if the next stage has a condition or other needs, or is a wait, which no worker runs.
///
/// The result is the same for every outcome of the stage, because a failure is data for the next one. It applies only
/// to a stage that ran; after a skipped stage, `decide` decides.
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

/// Returns the stages that the end of the stage at `index` may start, at once or after others have ended. Returns none
/// unless starting stages is all that can follow: some stages need it, and none of them has a condition or waits.
///
/// This is only a hint which worker should decide. [`decide`](crate::decide()) decides what is due.
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

/// Returns the positions of the stages that need the one at `index`.
fn dependents(stages: &[StageDefinition], index: usize) -> impl Iterator<Item = usize> {
    let name = stages.get(index).map(|stage| &stage.name);
    (index + 1..stages.len()).filter(move |later| match &stages[*later].needs {
        None => *later == index + 1,
        Some(needs) => name.is_some_and(|name| needs.contains(name)),
    })
}
