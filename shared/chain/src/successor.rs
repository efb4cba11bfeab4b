//! A shortcut past [`decide`](crate::decide()) for a stage whose end makes stages due that need nothing else.

use crate::StageDefinition;

/// The stages that the end of the stage at `index` makes due, if [`decide`](crate::decide()) can have no other answer; in
/// the order of the chain.
///
/// None leaves the decision to `decide`: the stage is the last one, one that needs it has a condition or other needs, one
/// of them has branches, or waits: nobody runs it. The answer holds whatever came of the stage, since a failure is data
/// for the next ones, and it holds for a stage that ran: the end of a skipped stage is decided.
#[must_use]
pub fn direct_successors(
    stages: &[StageDefinition],
    index: usize,
) -> Vec<(usize, &StageDefinition)> {
    let Some(ended) = stages.get(index).filter(|ended| ended.branches.is_none()) else {
        return Vec::new();
    };
    let needs_it = |later: usize, stage: &StageDefinition| match &stage.needs {
        None => later == index + 1,
        Some(needs) => needs.contains(&ended.name),
    };
    let later = stages.iter().enumerate().skip(index + 1);
    let dependents: Vec<_> = later
        .filter(|(later, stage)| needs_it(*later, stage))
        .collect();
    let is_direct = |stage: &StageDefinition| {
        let needs_it_alone = stage.needs.as_ref().is_none_or(|needs| needs.len() == 1);
        let is_run = stage.kind.as_wait().is_none();
        needs_it_alone && is_run && stage.when.is_none() && stage.branches.is_none()
    };
    match dependents.iter().all(|(_, stage)| is_direct(stage)) {
        true => dependents,
        false => Vec::new(),
    }
}
