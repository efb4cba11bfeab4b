//! Builds the results of earlier stages for a stage's input. Each stage has one result, even if it had branches.

use serde::Deserialize;
use tarsy_chain::{
    BranchResult, RowPlace, StageDefinition, Success, ancestors, has_late_results, merged_error,
    merged_output, retain_current, settled_status,
};
use tarsy_model::{PreviousStage, StageStatus, shown_actor};

/// A row of an earlier stage.
#[derive(Debug, Deserialize)]
pub(super) struct PreviousRow {
    #[serde(flatten)]
    stage: PreviousStage,
    branch: i32,
    branch_count: i32,
    branch_name: Option<String>,
    attempt: i32,
    completed_at_us: Option<i64>,
}

/// Returns the results of the stages that the one at `index` needs, directly or indirectly.
///
/// A stage may start before everything that it needs has ended. Results that came after its row was created (at
/// `created_at_us`) are then omitted. A worker that resumes the stage must send the same prompt as the first worker.
pub(super) fn previous_stages(
    stages: &[StageDefinition],
    index: i32,
    created_at_us: i64,
    mut rows: Vec<PreviousRow>,
) -> Vec<PreviousStage> {
    for row in &mut rows {
        row.stage.agent = shown_actor(&row.stage.agent).to_owned();
    }
    let ancestors = usize::try_from(index).map(|index| ancestors(stages, index));
    let ancestors = ancestors.unwrap_or_default();
    rows.retain(|row| position(row).is_some_and(|index| ancestors.contains(&index)));
    retain_current(&mut rows, |row| RowPlace {
        stage_index: row.stage.stage_index,
        branch: row.branch,
        branch_count: row.branch_count,
        attempt: row.attempt,
    });
    if has_late_results(stages) {
        rows.retain(|row| row.completed_at_us.is_some_and(|at| at <= created_at_us));
    }
    let mut previous: Vec<PreviousStage> = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    while let Some(first) = rows.next() {
        if first.branch_name.is_none() {
            previous.push(first.stage);
            continue;
        }
        let stage_index = first.stage.stage_index;
        let mut branches = vec![first];
        while let Some(next) = rows.next_if(|row| row.stage.stage_index == stage_index) {
            branches.push(next);
        }
        previous.extend(merged(stages, &branches));
    }
    previous
}

fn position(row: &PreviousRow) -> Option<usize> {
    usize::try_from(row.stage.stage_index).ok()
}

/// Merges the results of a stage with branches.
fn merged(stages: &[StageDefinition], rows: &[PreviousRow]) -> Option<PreviousStage> {
    let first = rows.first()?;
    let branches = stages.get(position(first)?)?.branches.as_ref();
    let success = branches.map_or(Success::All, |branches| branches.success);
    let statuses: Vec<StageStatus> = rows.iter().map(|row| row.stage.status).collect();
    let results: Vec<BranchResult<'_>> = rows
        .iter()
        .map(|row| BranchResult {
            name: row.branch_name.as_deref().unwrap_or_default(),
            status: row.stage.status,
            output: row.stage.output.as_ref(),
            error: row.stage.error.as_deref(),
        })
        .collect();
    let mut agents: Vec<&str> = rows.iter().map(|row| row.stage.agent.as_str()).collect();
    agents.dedup();
    let status = settled_status(success, &statuses).unwrap_or(StageStatus::Active);
    Some(PreviousStage {
        stage_name: first.stage.stage_name.clone(),
        stage_index: first.stage.stage_index,
        agent: agents.join(", "),
        status,
        output: merged_output(&results),
        error: merged_error(&results).filter(|_| status != StageStatus::Completed),
    })
}
