//! Ends a session whose stages have all settled.

use tarsy_model::{ExecutionId, IterationStrategy, SessionOutcome, SessionStatus, StageStatus};

use crate::hold::why_not_investigated;
use crate::outcome::StageOutcome;
use crate::{Function, SessionEnd, SessionState, StageAttempt, StageDefinition, StageKind};

/// Decides how a session ends.
///
/// The answer is the last completed analysis. If stages failed and there is no analysis, the session has failed, even
/// if data was collected. Skipped stages don't count. A stage with branches counts as one stage; its answer is that of
/// its first completed branch.
pub(crate) fn conclude(state: &SessionState, settled: &[StageOutcome<'_>]) -> SessionEnd {
    if let Some(reason) = why_not_investigated(state, settled) {
        return SessionEnd {
            session_id: state.session_id,
            status: SessionStatus::Cancelled,
            outcome: None,
            analysis_from: None,
            verified_by: Vec::new(),
            error: Some(reason),
        };
    }
    let ran = || settled.iter().filter(|s| s.status != StageStatus::Skipped);
    let completed = settled
        .iter()
        .filter(|s| s.status == StageStatus::Completed);
    let rows: Vec<(&StageDefinition, &StageAttempt)> = settled
        .iter()
        .rev()
        .flat_map(|stage| stage.rows.iter().map(|row| (stage.stage, *row)))
        .filter(|(_, row)| row.status == StageStatus::Completed)
        .collect();
    let outcome = match completed.count() {
        0 if rows.is_empty() => SessionOutcome::Failed,
        n if n == ran().count() => SessionOutcome::Completed,
        _ => SessionOutcome::Partial,
    };
    let analysis = rows.iter().find(|(stage, row)| analyses(stage, row));
    // A chain that only collects data is complete once it has collected.
    let collection = rows
        .iter()
        .find(|(stage, _)| !matches!(stage.kind, StageKind::Wait(_)))
        .filter(|_| outcome == SessionOutcome::Completed);
    let answer = analysis.or(collection);
    let analysis_from: Option<ExecutionId> = answer.map(|(_, row)| row.execution_id);
    let verifies_it = |(stage, _): &&(&StageDefinition, &StageAttempt)| {
        let verified = stage
            .kind
            .as_agent()
            .and_then(|kind| kind.verifies.as_ref());
        verified.is_some() && verified == answer.map(|(stage, _)| &stage.name)
    };
    let verified_by = rows.iter().filter(verifies_it);
    let verified_by = verified_by.map(|(_, row)| row.execution_id).collect();
    let error = analysis_from.is_none().then(|| why_no_analysis(settled));
    SessionEnd {
        session_id: state.session_id,
        status: match analysis_from {
            Some(_) => SessionStatus::Completed,
            None => SessionStatus::Failed,
        },
        outcome: Some(outcome),
        analysis_from,
        verified_by,
        error,
    }
}

/// Returns whether an attempt of this stage can be the analysis: an agent that does more than collect, an `ask` stage
/// with a text answer, or a function that answers.
pub(crate) fn analyses(stage: &StageDefinition, attempt: &StageAttempt) -> bool {
    let strategy = attempt.iteration_strategy.as_deref();
    can_analyse(&stage.kind, strategy.and_then(|word| word.parse().ok()))
}

/// Returns the same for a kind of stage and the strategy of its agent.
pub(crate) fn can_analyse(kind: &StageKind, strategy: Option<IterationStrategy>) -> bool {
    match kind {
        StageKind::Ask(ask) => ask.output_schema.is_none(),
        StageKind::Function(stage) => Function::named(&stage.function).is_ok_and(Function::answers),
        StageKind::Tool(_) | StageKind::Wait(_) => false,
        StageKind::Agent(stage) | StageKind::SubAgent(stage) => {
            stage.verifies.is_none() && strategy != Some(IterationStrategy::ReactTools)
        }
    }
}

/// Returns the errors of stages that ran. The reasons of skipped stages are used only if there are no such errors.
fn why_no_analysis(settled: &[StageOutcome<'_>]) -> String {
    let reasons = |is_skipped: bool| -> Vec<String> {
        settled
            .iter()
            .filter(|stage| (stage.status == StageStatus::Skipped) == is_skipped)
            .filter_map(|stage| Some(format!("{}: {}", stage.stage.name, stage.error()?)))
            .collect()
    };
    let mut causes = reasons(false);
    if causes.is_empty() {
        causes = reasons(true);
    }
    format!("no answer: {}", causes.join("; "))
}
