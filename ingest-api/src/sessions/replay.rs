//! Replays an ended stage.

use std::collections::BTreeSet;

use serde_json::json;
use tarsy_failpoint::reached;
use tarsy_model::{
    IterationStrategy, OperatorAction, Pool, STAGE_JOB, priority_of, stage_requires,
};
use tarsy_queue::NewJob;
use tarsy_store::admin::{NoReplay, Replay, Replayed, replay_stage};
use tarsy_store::stages::NewStage;

use crate::access::Actor;
use crate::problem::{ConflictError, FieldError, Problem};
use crate::server::audit::note;
use crate::server::operator_request::Reason;
use crate::server::state::AppState;

/// Creates the next attempt of an ended stage with its job, or one for each branch. Stages that
/// need it run again later.
///
/// # Errors
///
/// If the stage can't be replayed. Of two concurrent replays, the second finds the session running.
pub(crate) async fn replay(
    app: &AppState,
    actor: &Actor,
    replay: &Replay,
    reason: &Reason,
) -> Result<Replayed, Problem> {
    let mut tx = app.pool.begin().await?;
    // Jobs are revoked before the session is locked, in the order that chain workers use. A chain
    // worker that has already decided must not write a decision about rows that the replay
    // replaces.
    tarsy_queue::revoke(&mut tx, &[replay.session_id.as_uuid()]).await?;
    let replayed = replay_stage(&mut tx, replay)
        .await?
        .map_err(|why| refused(why, replay))?;
    let queue = |stage: &NewStage| Pool::from(stage.pool.as_str()).queue();
    let jobs = replayed.stages.iter().map(|stage| {
        NewJob::new(queue(stage), STAGE_JOB, stage.execution_id.as_uuid())
            .priority(priority_of(&replayed.severity))
            .requires(stage_requires(&stage.agent, stage.llm_provider.as_deref()))
            .traceparent(replayed.traceparent.clone())
    });
    let jobs: Vec<NewJob> = jobs.collect();
    tarsy_queue::enqueue(&mut tx, &jobs).await?;
    let queues: BTreeSet<String> = replayed.stages.iter().map(queue).collect();
    let first = replayed.stages.first();
    let details = json!({
        "stage_index": first.map(|stage| stage.stage_index), "attempt": first.map(|stage| stage.attempt),
        "execution_id": first.map(|stage| stage.execution_id), "branches": replayed.stages.len(), "branch": replay.branch,
        "agent": replay.agent, "llm_provider": replay.llm_provider, "iteration_strategy": replay.strategy,
        "later_stages": replay.later_stages,
        "was": replayed.was,
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
    for queue in &queues {
        app.waker.wake(queue);
    }
    app.waker.wake_watchers();
    Ok(replayed)
}

fn refused(why: NoReplay, replay: &Replay) -> Problem {
    match why {
        NoReplay::UnknownSession => Problem::SessionNotFound,
        NoReplay::Running(status) => ConflictError::SessionRunning(status).into(),
        NoReplay::UnknownStage(stages) => ConflictError::StageNotFound { stages }.into(),
        NoReplay::UnknownBranch(branches) => ConflictError::BranchNotFound { branches }.into(),
        NoReplay::NoAgent => Problem::InvalidRequest(vec![FieldError::new(
            "agent",
            "no agent runs this stage".to_owned(),
        )]),
        NoReplay::NotEnded(status) => match replay.stage_index {
            Some(stage_index) => ConflictError::StageNotEnded {
                stage_index,
                status,
            },
            None => ConflictError::NoFailedStage,
        }
        .into(),
        NoReplay::Outdated(stage) => ConflictError::StageOutdated(stage).into(),
        NoReplay::Waits => ConflictError::StageWaits.into(),
        NoReplay::AlertIsLive => ConflictError::AlertIsLive.into(),
    }
}

/// Values that replace those of the previous attempt.
pub(crate) struct Overrides {
    pub(crate) llm_provider: Option<String>,
    pub(crate) strategy: Option<IterationStrategy>,
    pub(crate) agent: Option<String>,
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
    agent: Option<&str>,
) -> Result<Overrides, Problem> {
    let mut errors = Vec::new();
    if let Some(name) = agent
        && !app.catalog.agent_names().any(|known| known == name)
    {
        let known: Vec<String> = app.catalog.agent_names().collect();
        let detail = format!("no agent has this name; known: {}", known.join(", "));
        errors.push(FieldError::new("agent", detail));
    }
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
        Ok(Overrides {
            llm_provider: provider.map(str::to_owned),
            strategy,
            agent: agent.map(str::to_owned),
        })
    } else {
        Err(Problem::InvalidRequest(errors))
    }
}
