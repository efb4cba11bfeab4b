//! Settles stages that don't run, in one statement: the fence, rows and events.
//!
//! The chain job is not ended, because it decides under the same claim which stages are due next. A crash in between
//! is harmless: the rows show which stages have settled.

use sqlx::PgConnection;
use tarsy_model::StageStatus;
use tarsy_store::column;

use super::UnrunStages;

/// Writes the rows of stages that don't run. Returns false if the claim was lost and nothing was changed.
///
/// The job's row is locked until the commit, so that no takeover can happen in between. Nothing is written for an
/// attempt that already exists.
pub(super) async fn settle_stages(
    conn: &mut PgConnection,
    unrun: &UnrunStages,
) -> Result<bool, tarsy_store::Error> {
    let stages = &unrun.stages;
    let held = sqlx::query_scalar!(
        r#"
        -- The fence. The chain job itself continues.
        with held as materialized (
            select id from jobs
            where id = $1 and owner is not distinct from $2 and epoch = $3
            for update
        ),
        live as materialized (
            select session_id from alert_sessions
            where session_id = any($4) and completed_at_us is null and exists (select from held)
            for no key update
        ),
        -- Stages that end without having run. A stage that already exists is not changed.
        settled as (
            insert into stage_executions
                (execution_id, session_id, stage_index, stage_name, agent, requires, iteration_strategy, llm_provider, pool,
                 attempt, round, timeout_ms, status, error_message, error_class, completed_at_us)
            select s.execution_id, s.session_id, s.stage_index, s.stage_name, actor_name(s.actor), actor_requires(s.actor),
                   s.iteration_strategy, s.llm_provider, s.pool, s.attempt, s.round, s.timeout_ms, s.status, s.error_message,
                   case s.status when 'failed' then 'condition' end, now_us()
            from unnest($5::uuid[], $4::uuid[], $6::int[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
                        $12::int[], $13::int[], $14::bigint[], $15::stage_status[], $16::text[])
                as s (execution_id, session_id, stage_index, stage_name, actor, iteration_strategy, llm_provider, pool,
                      attempt, round, timeout_ms, status, error_message)
            where s.session_id in (select session_id from live)
            on conflict (session_id, stage_index, attempt) do nothing
            returning execution_id, session_id, stage_index, stage_name, agent, attempt, status, error_message
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'stage_progress', stage_event(
                session_id, execution_id, stage_index, $17::int, stage_name, agent, attempt, 0, null, status, error_message)
            from settled
        )
        select exists (select from held) as "held!"
        "#,
        unrun.claim.job_id,
        unrun.claim.owner,
        unrun.claim.epoch,
        &column(stages, |(s, ..)| s.session_id.as_uuid()),
        &column(stages, |(s, ..)| s.execution_id.as_uuid()),
        &column(stages, |(s, ..)| s.stage_index),
        &column(stages, |(s, ..)| s.stage_name.as_str()) as &[&str],
        &column(stages, |(s, ..)| s.agent.as_str()) as &[&str],
        &column(stages, |(s, ..)| s.strategy.map(|s| s.as_str())) as &[Option<&str>],
        &column(stages, |(s, ..)| s.llm_provider.as_deref()) as &[Option<&str>],
        &column(stages, |(s, ..)| s.pool.as_str()) as &[&str],
        &column(stages, |(s, ..)| s.attempt),
        &column(stages, |(s, ..)| s.round),
        &column(stages, |(s, ..)| s.timeout_ms),
        &column(stages, |(_, status, _)| *status) as &[StageStatus],
        &column(stages, |(.., reason)| reason.as_str()) as &[&str],
        unrun.stage_count,
    )
    .fetch_one(conn)
    .await?;
    Ok(held)
}
