//! Inserts attempts of stages.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_chain::Branch;
use tarsy_model::{ExecutionId, IterationStrategy, SessionId};

use crate::Error;

/// A new stage attempt.
#[derive(Clone, Debug)]
pub struct NewStage {
    /// Primary key of the row.
    pub execution_id: ExecutionId,
    /// Session of the attempt.
    pub session_id: SessionId,
    /// Position in the chain, from 0.
    pub stage_index: i32,
    /// Name in the chain.
    pub stage_name: String,
    /// Actor that runs the stage; see [`tarsy_model::Actor`].
    pub agent: String,
    /// Resolved strategy of its agent.
    pub strategy: Option<IterationStrategy>,
    /// Provider configured for the stage, if any.
    pub llm_provider: Option<String>,
    /// Pool whose workers may run it.
    pub pool: String,
    /// The branch, or the only one if the stage has no branches.
    pub branch: Branch,
    /// Number of the attempt, from 1. Counts the runs of the stage, over all branches.
    pub attempt: i32,
    /// Replay round; see [`tarsy_chain::StageAttempt::round`].
    pub round: i32,
    /// Maximum running time, over all workers, in ms.
    pub timeout_ms: i64,
}

/// Inserts stage attempts, sets the session's current stage, and publishes the events.
///
/// Skips attempts that already exist, and sessions that have ended. Returns the new attempts. The caller must enqueue
/// a job for each in the same transaction.
pub async fn start_stages(
    conn: &mut PgConnection,
    new: &[NewStage],
) -> Result<Vec<ExecutionId>, Error> {
    let started = sqlx::query_scalar!(
        r#"
        with live as (
            select session_id, jsonb_array_length(chain_definition -> 'stages') as stage_count from alert_sessions
            where session_id = any($1) and completed_at_us is null for no key update
        ),
        fresh as (
            insert into stage_executions
                (execution_id, session_id, stage_index, stage_name, agent, requires, iteration_strategy, llm_provider, pool,
                 attempt, round, timeout_ms, branch, branch_count, branch_name, branch_item)
            select n.execution_id, n.session_id, n.stage_index, n.stage_name, actor_name(n.actor), actor_requires(n.actor),
                   n.iteration_strategy, n.llm_provider, n.pool, n.attempt, n.round, n.timeout_ms, n.branch, n.branch_count,
                   n.branch_name, n.branch_item
            from unnest($2::uuid[], $1::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[],
                                   $8::text[], $9::int[], $10::int[], $11::bigint[],
                                   $12::int[], $13::int[], $14::text[], $15::jsonb[])
                as n (execution_id, session_id, stage_index, stage_name, actor, iteration_strategy, llm_provider, pool,
                      attempt, round, timeout_ms, branch, branch_count, branch_name, branch_item)
            join live using (session_id)
            on conflict (session_id, stage_index, attempt) do nothing
            returning execution_id, session_id, stage_id, stage_index, stage_name, agent, attempt, round, branch, branch_name
        ),
        current as (
            update alert_sessions s
            set status = 'in_progress', current_stage_index = f.stage_index, current_stage_id = f.stage_id
            from fresh f where s.session_id = any(array[f.session_id])
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select f.session_id, 'session_status_change', jsonb_build_object(
                'type', 'session_status_change', 'session_id', f.session_id, 'status', 'in_progress')
            from fresh f where f.stage_index = 0 and f.round = 0
            union all
            select f.session_id, 'stage_progress', stage_event(
                f.session_id, f.execution_id, f.stage_index, l.stage_count, f.stage_name, f.agent, f.attempt, f.branch,
                f.branch_name, 'pending', null)
            from fresh f join live l using (session_id)
        )
        select execution_id as "execution_id!: ExecutionId" from fresh
        "#,
        &new.iter().map(|s| s.session_id.as_uuid()).collect::<Vec<_>>(),
        &new.iter().map(|s| s.execution_id.as_uuid()).collect::<Vec<_>>(),
        &new.iter().map(|s| s.stage_index).collect::<Vec<_>>(),
        &new.iter().map(|s| s.stage_name.clone()).collect::<Vec<_>>(),
        &new.iter().map(|s| s.agent.clone()).collect::<Vec<_>>(),
        &new.iter().map(|s| s.strategy.map(|s| s.as_str().to_owned())).collect::<Vec<_>>() as &[Option<String>],
        &new.iter().map(|s| s.llm_provider.clone()).collect::<Vec<_>>() as &[Option<String>],
        &new.iter().map(|s| s.pool.clone()).collect::<Vec<_>>(),
        &new.iter().map(|s| s.attempt).collect::<Vec<_>>(),
        &new.iter().map(|s| s.round).collect::<Vec<_>>(),
        &new.iter().map(|s| s.timeout_ms).collect::<Vec<_>>(),
        &new.iter().map(|s| s.branch.index).collect::<Vec<_>>(),
        &new.iter().map(|s| s.branch.count).collect::<Vec<_>>(),
        &new.iter().map(|s| s.branch.name.clone()).collect::<Vec<_>>() as &[Option<String>],
        &new.iter().map(|s| s.branch.item.clone()).collect::<Vec<_>>() as &[Option<Value>],
    )
    .fetch_all(conn)
    .await?;
    Ok(started)
}
