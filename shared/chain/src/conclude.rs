//! The end of a session whose stages have all settled.

use tarsy_model::{ExecutionId, IterationStrategy, SessionOutcome, SessionStatus, StageStatus};

use crate::{Graph, SessionEnd, SessionState, StageAttempt};

/// How a session ends.
///
/// The answer is the last analysis that completed. When stages failed and no analysis is
/// left, the session has failed, whatever was collected: data is not an analysis. Skipped stages count for nothing.
pub(crate) fn conclude(
    graph: &Graph<'_>,
    state: &SessionState,
    settled: &[&StageAttempt],
) -> SessionEnd {
    let ran = || settled.iter().filter(|s| s.status != StageStatus::Skipped);
    let completed: Vec<&&StageAttempt> = settled
        .iter()
        .filter(|s| s.status == StageStatus::Completed)
        .collect();
    let outcome = match completed.len() {
        0 => SessionOutcome::Failed,
        n if n == ran().count() => SessionOutcome::Completed,
        _ => SessionOutcome::Partial,
    };
    let analysis = completed
        .iter()
        .rev()
        .find(|s| !collects_only(s) && !is_wait(graph, s));
    // A chain that only collects, and did, has what it was made for.
    let collection = completed
        .last()
        .filter(|_| outcome == SessionOutcome::Completed);
    let analysis_from: Option<ExecutionId> = analysis.or(collection).map(|s| s.execution_id);
    let error = analysis_from
        .is_none()
        .then(|| why_no_analysis(graph, settled));
    SessionEnd {
        session_id: state.session_id,
        status: match analysis_from {
            Some(_) => SessionStatus::Completed,
            None => SessionStatus::Failed,
        },
        outcome: Some(outcome),
        analysis_from,
        error,
    }
}

/// What was decided is no analysis.
fn is_wait(graph: &Graph<'_>, stage: &StageAttempt) -> bool {
    let index = usize::try_from(stage.stage_index).ok();
    index.is_some_and(|index| graph.stage(index).kind.as_wait().is_some())
}

fn collects_only(stage: &StageAttempt) -> bool {
    let strategy = stage.iteration_strategy.as_deref();
    strategy.and_then(|word| word.parse().ok()) == Some(IterationStrategy::ReactTools)
}

fn why_no_analysis(graph: &Graph<'_>, settled: &[&StageAttempt]) -> String {
    let reasons: Vec<String> = settled
        .iter()
        .filter_map(|s| {
            let index = usize::try_from(s.stage_index).ok()?;
            let name = graph.stage(index).name.as_str();
            Some(format!("{name}: {}", s.error_message.as_deref()?))
        })
        .collect();
    format!("no stage reached an analysis ({})", reasons.join("; "))
}
