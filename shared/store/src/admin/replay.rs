//! Replays an ended stage as a new attempt.

use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_chain::{Branch, ChainDefinition, StageDefinition, outdated_ancestor};
use tarsy_model::{Actor, ExecutionId, IterationStrategy, SessionId, SessionStatus, StageStatus};

use crate::Error;
use crate::events::{NewEvent, publish};
use crate::stages::{NewStage, start_stages};

/// Unique index that allows one running session per fingerprint; see the migration.
const LIVE_FINGERPRINT: &str = "alert_sessions_live_fingerprint";

/// A request to replay an ended stage.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Session of the stage to replay.
    pub session_id: SessionId,
    /// Position of the stage in the chain; `None`: the first stage that failed.
    pub stage_index: Option<i32>,
    /// Branch to replay; `None`: all branches.
    pub branch: Option<i32>,
    /// Agent that runs it; `None`: that of the previous attempt.
    pub agent: Option<String>,
    /// LLM provider; `None`: that of the previous attempt.
    pub llm_provider: Option<String>,
    /// Whether the provider is also used for the stages that run again after it.
    pub later_stages: bool,
    /// Iteration strategy; `None`: that of the previous attempt.
    pub strategy: Option<IterationStrategy>,
}

impl Replay {
    /// Builds a request to replay the first failed stage without overrides.
    #[must_use]
    pub const fn first_failed(session_id: SessionId) -> Self {
        Self {
            session_id,
            stage_index: None,
            branch: None,
            agent: None,
            llm_provider: None,
            later_stages: false,
            strategy: None,
        }
    }
}

/// Reason why a stage can't be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReplay {
    /// No session has this id.
    #[error("session not found")]
    UnknownSession,
    /// The session has not ended.
    #[error("the session is running: {0}")]
    Running(SessionStatus),
    /// The chain has only this many stages.
    #[error("the chain has {0} stages")]
    UnknownStage(usize),
    /// The stage has only this many branches.
    #[error("the stage has {0} branches")]
    UnknownBranch(usize),
    /// The stage's current attempt neither completed nor failed; `None`: it never ran.
    #[error("the stage has neither completed nor failed")]
    NotEnded(Option<StageStatus>),
    /// No agent runs the stage, so none can be chosen for it.
    #[error("no agent runs the stage")]
    NoAgent,
    /// The stage is a wait. A wait is never repeated.
    #[error("the stage waits for something; it can't be replayed")]
    Waits,
    /// The stage needs this one, which is outdated: a stage that it needs itself was replayed, and it has not run
    /// since. It must be replayed first.
    #[error("stage `{0}`, which it needs, is outdated: replay that one")]
    Outdated(String),
    /// Another session with the same fingerprint is running.
    #[error("another session for the same alert is running")]
    AlertIsLive,
}

/// The new attempts, one for each replayed branch.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The attempts, at least one. The caller enqueues their jobs.
    pub stages: Vec<NewStage>,
    /// Severity of the alert, which determines the priority of the jobs.
    pub severity: String,
    /// W3C trace context of the alert's request.
    pub traceparent: Option<String>,
    /// Status with which the session had ended.
    pub was: SessionStatus,
}

/// Creates the next attempt of an ended stage, reopens its session, and publishes both events.
///
/// Of the session, only the end is reset; it will get a new one. The round of the attempt is higher than all others,
/// so the stages that need this one run again after it. Replays all branches, or the one given in `replay`.
///
/// # Errors
///
/// [`Error::Database`], [`Error::Decode`]. The inner error is the reason why the stage can't be replayed. The caller
/// must then roll back the transaction.
pub async fn replay_stage(
    conn: &mut PgConnection,
    replay: &Replay,
) -> Result<Result<Replayed, NoReplay>, Error> {
    let session_id = replay.session_id;
    let session = sqlx::query!(
        r#"select status as "status: SessionStatus", chain_definition as "chain: Json<ChainDefinition>",
                  severity, traceparent
           from alert_sessions where session_id = $1 for no key update"#,
        session_id.as_uuid(),
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(session) = session else {
        return Ok(Err(NoReplay::UnknownSession));
    };
    if !session.status.is_terminal() {
        return Ok(Err(NoReplay::Running(session.status)));
    }
    let stages = match next_attempts(conn, replay, session.chain.stages.len()).await? {
        Ok(stages) => stages,
        Err(why) => return Ok(Err(why)),
    };
    if let Some(name) = outdated(conn, session_id, &session.chain.stages, &stages).await? {
        return Ok(Err(NoReplay::Outdated(name)));
    }
    let chain = later_stages(replay, session.chain.0, &stages);
    if !reopen(conn, session_id, chain).await? {
        return Ok(Err(NoReplay::AlertIsLive));
    }
    let event = NewEvent::session_status(session_id, SessionStatus::InProgress, None, None);
    publish(conn, &[event]).await?;
    start_stages(conn, &stages).await?;
    Ok(Ok(Replayed {
        stages,
        severity: session.severity,
        traceparent: session.traceparent,
        was: session.status,
    }))
}

/// Returns the chain with the new provider for the stages that run again after `replayed`; `None` if the chain stays
/// unchanged.
fn later_stages(
    replay: &Replay,
    mut chain: ChainDefinition,
    replayed: &[NewStage],
) -> Option<ChainDefinition> {
    let provider = replay
        .llm_provider
        .as_deref()
        .filter(|_| replay.later_stages)?;
    let index = usize::try_from(replayed.first()?.stage_index).ok()?;
    chain.set_provider_after(index, provider);
    Some(chain)
}

/// Plans the attempts that follow the current ones, with their settings.
async fn next_attempts(
    conn: &mut PgConnection,
    replay: &Replay,
    stage_count: usize,
) -> Result<Result<Vec<NewStage>, NoReplay>, Error> {
    if let Some(index) = replay.stage_index
        && usize::try_from(index).is_ok_and(|index| index >= stage_count)
    {
        return Ok(Err(NoReplay::UnknownStage(stage_count)));
    }
    let current = sqlx::query!(
        r#"
        select stage_index as "stage_index!", stage_name as "stage_name!", concat_ws(':', requires, agent) as "agent!", iteration_strategy, llm_provider,
               pool as "pool!", timeout_ms as "timeout_ms!", status as "status!: StageStatus", branch as "branch!",
               branch_count as "branch_count!", branch_name, branch_item,
               (select max(attempt) from stage_executions e where e.session_id = $1 and e.stage_index = c.stage_index)
                   as "attempt!",
               (select max(round) from stage_executions where session_id = $1) as "round!"
        from current_stages($1) c
        where stage_index = coalesce($2, (select min(f.stage_index) from current_stages($1) f where f.status = 'failed' and f.agent not like 'wait:%'))
        order by branch
        "#,
        replay.session_id.as_uuid(),
        replay.stage_index,
    )
    .fetch_all(conn)
    .await?;
    let branches = current.len();
    let named = |branch: i32| replay.branch.is_none_or(|named| named == branch);
    let chosen: Vec<_> = current
        .into_iter()
        .filter(|row| named(row.branch))
        .collect();
    let Some(first) = chosen.first() else {
        return Ok(Err(match branches {
            0 => NoReplay::NotEnded(None),
            _ => NoReplay::UnknownBranch(branches),
        }));
    };
    let has_ended =
        |status: StageStatus| matches!(status, StageStatus::Completed | StageStatus::Failed);
    if let Some(other) = chosen.iter().find(|row| !has_ended(row.status)) {
        return Ok(Err(NoReplay::NotEnded(Some(other.status))));
    }
    if matches!(Actor::parse(&first.agent), Actor::Wait(_)) {
        return Ok(Err(NoReplay::Waits));
    }
    if replay.agent.is_some() && Actor::parse(&first.agent).agent().is_none() {
        return Ok(Err(NoReplay::NoAgent));
    }
    let attempts = first.attempt + 1..;
    let stages = attempts.zip(chosen).map(|(attempt, row)| {
        let strategy = row.iteration_strategy.as_deref().map(str::parse);
        let actor = Actor::parse(&row.agent);
        let strategy = actor
            .agent()
            .map(|_| strategy.and_then(Result::ok).unwrap_or_default());
        let agent = match (&replay.agent, actor) {
            (Some(agent), actor) => actor.by_agent(agent).to_string(),
            (None, _) => row.agent.clone(),
        };
        NewStage {
            execution_id: ExecutionId::generate(),
            session_id: replay.session_id,
            stage_index: row.stage_index,
            stage_name: row.stage_name,
            strategy: strategy.map(|strategy| replay.strategy.unwrap_or(strategy)),
            agent,
            llm_provider: replay.llm_provider.clone().or(row.llm_provider),
            pool: row.pool,
            branch: Branch {
                index: row.branch,
                count: row.branch_count,
                name: row.branch_name,
                item: row.branch_item,
            },
            attempt,
            round: row.round + 1,
            timeout_ms: row.timeout_ms,
        }
    });
    Ok(Ok(stages.collect()))
}

/// Returns the name of the stage that must be replayed first, if there is one.
async fn outdated(
    conn: &mut PgConnection,
    session_id: SessionId,
    stages: &[StageDefinition],
    replayed: &[NewStage],
) -> Result<Option<String>, Error> {
    let Some(index) = replayed.first().map(|stage| stage.stage_index) else {
        return Ok(None);
    };
    let rows = sqlx::query!(
        r#"select stage_index as "stage_index!", round as "round!" from current_stages($1)"#,
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    let rounds = rows
        .iter()
        .filter_map(|row| Some((usize::try_from(row.stage_index).ok()?, row.round)));
    let rounds: Vec<(usize, i32)> = rounds.collect();
    let outdated = usize::try_from(index)
        .ok()
        .and_then(|index| outdated_ancestor(stages, index, &rounds));
    Ok(outdated.and_then(|index| Some(stages.get(index)?.name.clone())))
}

/// Reopens the session, with `chain` as its new chain if given. Returns false if another session for the same alert is
/// running.
async fn reopen(
    conn: &mut PgConnection,
    session_id: SessionId,
    chain: Option<ChainDefinition>,
) -> Result<bool, Error> {
    let reopened = sqlx::query!(
        "update alert_sessions
         set status = 'in_progress', outcome = null, completed_at_us = null, error_message = null, final_analysis = null,
             verdict = null, verdict_check = null, label = null, chain_definition = coalesce($1, chain_definition)
         where session_id = $2",
        chain.map(Json) as Option<Json<ChainDefinition>>,
        session_id.as_uuid(),
    )
    .execute(conn)
    .await;
    match reopened {
        Ok(_) => Ok(true),
        Err(sqlx::Error::Database(error)) if error.constraint() == Some(LIVE_FINGERPRINT) => {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}
