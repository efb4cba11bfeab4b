//! Replaying a failed stage as a new attempt.

use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_chain::ChainDefinition;
use tarsy_model::{Actor, ExecutionId, IterationStrategy, SessionId, SessionStatus, StageStatus};

use crate::{Error, NewEvent, NewStage, publish, start_stages};

/// Unique index that allows one running session per alert; see the migration.
const LIVE_FINGERPRINT: &str = "alert_sessions_live_fingerprint";

/// A failed stage to replay.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Whose stage.
    pub session_id: SessionId,
    /// Position in the chain; `None`: the first that failed.
    pub stage_index: Option<i32>,
    /// Ask this provider; `None`: the failed attempt's.
    pub llm_provider: Option<String>,
    /// Iterate like this; `None`: as the failed attempt did.
    pub strategy: Option<IterationStrategy>,
}

impl Replay {
    /// Replays the first failed stage without overrides.
    #[must_use]
    pub const fn first_failed(session_id: SessionId) -> Self {
        Self {
            session_id,
            stage_index: None,
            llm_provider: None,
            strategy: None,
        }
    }
}

/// Why a stage can't be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReplay {
    /// There is no session of this id.
    #[error("session not found")]
    UnknownSession,
    /// The session has not ended.
    #[error("the session is running: {0}")]
    Running(SessionStatus),
    /// The chain has fewer stages; this many.
    #[error("the chain has {0} stages")]
    UnknownStage(usize),
    /// The stage's current attempt did not fail; `None`: it was never run.
    #[error("the stage has not failed")]
    NotFailed(Option<StageStatus>),
    /// The stage waited; what it waited for is asked once.
    #[error("the stage waits for something; it can't be replayed")]
    Waits,
    /// Another session about the same alert is under way.
    #[error("another session for the same alert is running")]
    AlertIsLive,
}

/// The new attempt.
#[derive(Clone, Debug)]
pub struct ReplayedStage {
    /// Names it; its job is for the caller to enqueue.
    pub execution_id: ExecutionId,
    /// Position in the chain.
    pub stage_index: i32,
    /// One more than the failed one's.
    pub attempt: i32,
    /// What runs it; see [`Actor`].
    pub agent: String,
    /// Pool whose workers may run it.
    pub pool: String,
    /// Provider override, if any.
    pub llm_provider: Option<String>,
    /// How its agent iterates.
    pub strategy: Option<IterationStrategy>,
    /// Decides the priority of its job.
    pub severity: String,
    /// Trace of the alert's request.
    pub traceparent: Option<String>,
    /// How the session had ended.
    pub was: SessionStatus,
}

/// Creates the next attempt of a failed stage, reopens its session, and publishes both events.
///
/// Only the session's end is changed; it gets a new one.
/// The attempt's round is above all others', so that later stages run again on top of it.
///
/// # Errors
///
/// [`Error::Database`], [`Error::Decode`]. The inner error says why there is no replay; the
/// transaction is to be rolled back then.
pub async fn replay_stage(
    conn: &mut PgConnection,
    replay: &Replay,
) -> Result<Result<ReplayedStage, NoReplay>, Error> {
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
    let failed = match failed_attempt(conn, replay, session.chain.stages.len()).await? {
        Ok(failed) => failed,
        Err(why) => return Ok(Err(why)),
    };
    if !reopen(conn, session_id).await? {
        return Ok(Err(NoReplay::AlertIsLive));
    }
    let stage = NewStage {
        llm_provider: replay.llm_provider.clone().or(failed.llm_provider),
        strategy: failed
            .strategy
            .map(|strategy| replay.strategy.unwrap_or(strategy)),
        ..failed
    };
    let told = NewEvent::session_status(session_id, SessionStatus::InProgress, None, None);
    publish(conn, &[told]).await?;
    start_stages(conn, std::slice::from_ref(&stage)).await?;
    Ok(Ok(ReplayedStage {
        execution_id: stage.execution_id,
        stage_index: stage.stage_index,
        attempt: stage.attempt,
        agent: stage.agent,
        pool: stage.pool,
        llm_provider: stage.llm_provider,
        strategy: stage.strategy,
        severity: session.severity,
        traceparent: session.traceparent,
        was: session.status,
    }))
}

/// Creates the attempt after the failed one, with its settings.
async fn failed_attempt(
    conn: &mut PgConnection,
    replay: &Replay,
    stage_count: usize,
) -> Result<Result<NewStage, NoReplay>, Error> {
    if let Some(index) = replay.stage_index
        && usize::try_from(index).is_ok_and(|index| index >= stage_count)
    {
        return Ok(Err(NoReplay::UnknownStage(stage_count)));
    }
    let current = sqlx::query!(
        r#"
        select stage_index, stage_name, agent, iteration_strategy, llm_provider, pool, attempt, timeout_ms,
               status as "status: StageStatus",
               (select max(round) from stage_executions where session_id = $1) as "round!"
        from (select distinct on (stage_index) * from stage_executions
              where session_id = $1 order by stage_index, attempt desc) current
        where case when $2::int is null then status = 'failed' and agent not like 'wait:%' else stage_index = $2 end
        order by stage_index limit 1
        "#,
        replay.session_id.as_uuid(),
        replay.stage_index,
    )
    .fetch_optional(conn)
    .await?;
    let current = match current {
        Some(current) if current.status == StageStatus::Failed => current,
        other => return Ok(Err(NoReplay::NotFailed(other.map(|stage| stage.status)))),
    };
    if matches!(Actor::parse(&current.agent), Actor::Wait(_)) {
        return Ok(Err(NoReplay::Waits));
    }
    let strategy = current.iteration_strategy.as_deref().map(str::parse);
    let strategy = match Actor::parse(&current.agent) {
        Actor::Agent(_) => Some(strategy.and_then(Result::ok).unwrap_or_default()),
        _ => None,
    };
    Ok(Ok(NewStage {
        execution_id: ExecutionId::generate(),
        session_id: replay.session_id,
        stage_index: current.stage_index,
        stage_name: current.stage_name,
        agent: current.agent,
        strategy,
        llm_provider: current.llm_provider,
        pool: current.pool,
        attempt: current.attempt + 1,
        round: current.round + 1,
        timeout_ms: current.timeout_ms,
    }))
}

/// Reopens the session; false if another session for the same alert is running.
async fn reopen(conn: &mut PgConnection, session_id: SessionId) -> Result<bool, Error> {
    let reopened = sqlx::query!(
        "update alert_sessions
         set status = 'in_progress', outcome = null, completed_at_us = null, error_message = null, final_analysis = null
         where session_id = $1",
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
