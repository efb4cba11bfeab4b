//! Replaying a failed stage.

use serde_json::json;
use tarsy_failpoint::reached;
use tarsy_model::{
    IterationStrategy, OperatorAction, Pool, STAGE_JOB, priority_of, stage_requires,
};
use tarsy_queue::NewJob;
use tarsy_store::admin::{NoReplay, Replay, ReplayedStage, replay_stage};

use super::audit::note;
use super::request::Reason;
use crate::access::Actor;
use crate::problem::{ConflictError, FieldError, Problem};
use crate::state::AppState;

/// Creates the next attempt of a failed stage with its job; later stages follow.
///
/// # Errors
///
/// If the stage can't be replayed; of two concurrent replays, the second finds the session running.
pub(crate) async fn replay(
    app: &AppState,
    actor: &Actor,
    replay: &Replay,
    reason: &Reason,
) -> Result<ReplayedStage, Problem> {
    let mut tx = app.pool.begin().await?;
    let stage = replay_stage(&mut tx, replay)
        .await?
        .map_err(|why| refused(why, replay))?;
    let queue = Pool::from(stage.pool.as_str()).queue();
    let job = NewJob::new(queue.clone(), STAGE_JOB, stage.execution_id.as_uuid())
        .priority(priority_of(&stage.severity))
        .requires(stage_requires(&stage.agent, stage.llm_provider.as_deref()))
        .traceparent(stage.traceparent.clone());
    tarsy_queue::enqueue(&mut tx, &[job]).await?;
    let details = json!({
        "stage_index": stage.stage_index, "attempt": stage.attempt, "execution_id": stage.execution_id,
        "llm_provider": replay.llm_provider, "iteration_strategy": replay.strategy, "was": stage.was,
    });
    note(
        &mut tx,
        actor,
        OperatorAction::ReplayStage,
        replay.session_id,
        reason,
        details,
    )
    .await?;
    reached("admin.replay.before_commit");
    tx.commit().await?;
    reached("admin.replay.after_commit");
    app.waker.wake(&queue);
    app.waker.wake_watchers();
    Ok(stage)
}

fn refused(why: NoReplay, replay: &Replay) -> Problem {
    match why {
        NoReplay::UnknownSession => Problem::SessionNotFound,
        NoReplay::Running(status) => ConflictError::SessionRunning(status).into(),
        NoReplay::UnknownStage(stages) => ConflictError::StageNotFound { stages }.into(),
        NoReplay::NotFailed(status) => match replay.stage_index {
            Some(stage_index) => ConflictError::StageNotFailed {
                stage_index,
                status,
            },
            None => ConflictError::NoFailedStage,
        }
        .into(),
        NoReplay::Waits => ConflictError::StageWaits.into(),
        NoReplay::AlertIsLive => ConflictError::AlertIsLive.into(),
    }
}

/// Validates the overrides of an attempt.
///
/// # Errors
///
/// [`Problem::InvalidRequest`] with every invalid override.
pub(crate) fn overrides(
    app: &AppState,
    provider: Option<&str>,
    strategy: Option<&str>,
) -> Result<(Option<String>, Option<IterationStrategy>), Problem> {
    let mut errors = Vec::new();
    if let Some(name) = provider
        && !app.catalog.knows_provider(name)
    {
        let known = app.catalog.provider_names().join(", ");
        let detail = format!("no provider is available under this name; known: {known}");
        errors.push(FieldError::new("llm_provider", detail));
    }
    let strategy = match strategy.map(str::parse::<IterationStrategy>).transpose() {
        Ok(strategy) => strategy,
        Err(error) => {
            errors.push(FieldError::new("iteration_strategy", error.to_string()));
            None
        }
    };
    if errors.is_empty() {
        Ok((provider.map(str::to_owned), strategy))
    } else {
        Err(Problem::InvalidRequest(errors))
    }
}
