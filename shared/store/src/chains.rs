//! The rows from which the next transition of a chain is decided, and the end of sessions.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_chain::{RunbookState, SessionEnd, SessionState, StageAttempt, StageFacts};
use tarsy_model::{ExecutionId, SessionId, SessionOutcome, SessionStatus, WaitId, read_document};

use crate::Error;
use crate::unknown_words::unknown_words;

/// A session whose rows this version can't read. Other sessions of the same batch are not affected.
#[derive(Clone, Debug)]
pub struct UnreadableChain {
    /// Row of `alert_sessions`.
    pub session_id: SessionId,
    /// Reason why the rows can't be read.
    pub reason: String,
    /// Offers of a worker that can read the rows, because a newer version wrote them. Empty if no worker can read
    /// them, so that the session must fail.
    pub requires: Vec<String>,
}

/// Reads the rows from which the sessions' next steps are decided.
pub async fn load_chains(
    conn: &mut PgConnection,
    sessions: &[SessionId],
) -> Result<Vec<Result<SessionState, UnreadableChain>>, Error> {
    let ids: Vec<_> = sessions.iter().map(|s| s.as_uuid()).collect();
    let rows = sqlx::query!(
        r#"
        select s.session_id as "session_id: SessionId", s.status as "status: SessionStatus",
            s.chain_definition::text as "chain!", s.runbook_url,
            (s.runbook_content is not null or s.runbook_error is not null) as "runbook_settled!", s.runbook_error,
            s.severity, s.traceparent, s.alert_type,
            case when c.has_conditions then s.alert_data::text end as "alert_data",
            case when c.has_conditions then (
                select json_object_agg(e.execution_id, e.stage_output)
                from (select distinct on (stage_index, branch) * from stage_executions
                      where session_id = s.session_id order by stage_index, branch, attempt desc) e
                where e.status = 'completed')::text end as "outputs",
            (select json_agg(json_build_object(
                        'execution_id', e.execution_id, 'stage_index', e.stage_index, 'attempt', e.attempt,
                        'round', e.round, 'status', e.status, 'iteration_strategy', e.iteration_strategy,
                        'error_message', e.error_message, 'branch', e.branch, 'branch_count', e.branch_count,
                        'branch_name', e.branch_name))
             from (select distinct on (stage_index, branch) * from stage_executions
                   where session_id = s.session_id order by stage_index, branch, attempt desc) e
            )::text as "stages"
        from alert_sessions s
        cross join lateral (
            select jsonb_path_exists(s.chain_definition, '$.stages[*] ? (exists(@.when) || exists(@.branches.each))')
                as has_conditions
        ) c
        where s.session_id = any($1)
        "#,
        &ids,
    )
    .fetch_all(conn)
    .await?;
    let read = rows.into_iter().map(|r| {
        let unreadable = |part: &str, error: serde_json::Error| UnreadableChain {
            session_id: r.session_id,
            reason: format!("the session's stored {part} can't be read: {error}"),
            requires: unknown_words(&r.chain, r.stages.as_deref()),
        };
        let chain = serde_json::from_str(&r.chain).map_err(|error| unreadable("chain", error))?;
        let stages: Option<Vec<StageAttempt>> = r
            .stages
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(|error| unreadable("stages", error))?;
        let facts = r
            .alert_data
            .as_deref()
            .map(|data| facts(&r.alert_type, &r.severity, data, r.outputs.as_deref()));
        let facts = facts
            .transpose()
            .map_err(|error| unreadable("outputs", error))?;
        let runbook = match (r.runbook_url, r.runbook_error) {
            (None, _) => RunbookState::None,
            (Some(url), _) if !r.runbook_settled => RunbookState::Unsettled { url },
            (Some(_), Some(error)) => RunbookState::Failed { error },
            (Some(_), None) => RunbookState::Fetched,
        };
        Ok(SessionState {
            session_id: r.session_id,
            status: r.status,
            chain,
            runbook,
            severity: r.severity,
            traceparent: r.traceparent,
            stages: stages.unwrap_or_default(),
            facts,
        })
    });
    Ok(read.collect())
}

fn facts(
    alert_type: &str,
    severity: &str,
    alert_data: &str,
    outputs: Option<&str>,
) -> Result<StageFacts, serde_json::Error> {
    let data: Value = read_document(alert_data).unwrap_or_default();
    let outputs: Option<HashMap<ExecutionId, Value>> =
        outputs.map(serde_json::from_str).transpose()?;
    Ok(StageFacts {
        alert: serde_json::json!({"type": alert_type, "severity": severity, "data": data}),
        outputs: outputs.unwrap_or_default(),
    })
}

/// Ends sessions and publishes the events. Skips sessions that have already ended. Returns those that it ended.
pub async fn finish_sessions(
    conn: &mut PgConnection,
    finish: &[SessionEnd],
) -> Result<Vec<SessionId>, Error> {
    let ended = sqlx::query_scalar!(
        r#"
        with ended as (
            update alert_sessions s
            set status = f.status, outcome = f.outcome, error_message = f.error, completed_at_us = now_us(),
                (final_analysis, label) =
                    (select stage_output ->> 'result', stage_output ->> 'label'
                     from stage_executions where execution_id = f.analysis_from),
                (verdict, verdict_check) =
                    (select c ->> 'verdict', c from checked_answer(f.session_id, f.analysis_from) c),
                (current_stage_index, current_stage_id) =
                    (select e.stage_index, e.stage_id from stage_executions e where e.session_id = s.session_id
                     order by e.round desc, e.stage_index desc limit 1)
            from unnest($1::uuid[], $2::session_status[], $3::session_outcome[], $4::uuid[], $5::text[])
                as f (session_id, status, outcome, analysis_from, error)
            where s.session_id = any(array[f.session_id]) and s.completed_at_us is null
            returning s.session_id, s.status, s.outcome, s.error_message
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'session_status_change', jsonb_build_object(
                'type', 'session_status_change', 'session_id', session_id, 'status', status, 'outcome', outcome,
                'message', error_message)
            from ended
        )
        select session_id as "session_id!: SessionId" from ended
        "#,
        &finish.iter().map(|f| f.session_id.as_uuid()).collect::<Vec<_>>(),
        &finish.iter().map(|f| f.status).collect::<Vec<_>>() as &[SessionStatus],
        &finish.iter().map(|f| f.outcome).collect::<Vec<_>>() as &[Option<SessionOutcome>],
        &finish.iter().map(|f| f.analysis_from.map(ExecutionId::as_uuid)).collect::<Vec<_>>() as &[Option<uuid::Uuid>],
        &finish.iter().map(|f| f.error.clone()).collect::<Vec<_>>() as &[Option<String>],
    )
    .fetch_all(conn)
    .await?;
    Ok(ended)
}

/// A live session without any job.
#[derive(Clone, Debug)]
pub struct Stranded {
    /// Row of `alert_sessions`.
    pub session_id: SessionId,
    /// Severity of the alert, which determines the priority of the new job.
    pub severity: String,
    /// The live stage, if any. Then the stage's job is missing.
    pub stage: Option<StrandedStage>,
    /// The wait of that stage, if it waits. Then the wait's job is missing.
    pub wait: Option<WaitId>,
}

/// A live stage without a job.
#[derive(Clone, Debug)]
pub struct StrandedStage {
    /// Row of `stage_executions`.
    pub execution_id: ExecutionId,
    /// Pool whose workers may run it.
    pub pool: String,
    /// Agent that runs it.
    pub agent: String,
    /// LLM provider configured for the stage.
    pub llm_provider: Option<String>,
    /// Epoch from which the new job starts, higher than every epoch under which the stage has begun. Postgres may have
    /// lost some of those in a crash while their runs continue. Therefore it is the current time in Unix microseconds,
    /// which no count of claims reaches.
    pub epoch: i64,
}

/// Finds sessions that no job refers to, among the `limit` oldest live sessions accepted after `after` (Unix
/// microseconds). Such a session has no chain job, no job for a live stage or wait, and no dead job that an operator
/// should handle. Also returns the value of `after` for the next call; `None`: start again from the beginning.
///
/// Such sessions exist only if rows were changed by hand. The caller gives each one the job that is missing. Sessions
/// younger than five seconds are skipped.
pub async fn sessions_without_work(
    conn: &mut PgConnection,
    after: i64,
    limit: i64,
) -> Result<(Vec<Stranded>, Option<i64>), Error> {
    let scanned = sqlx::query!(
        r#"
        select s.session_id as "session_id: SessionId", s.severity, s.started_at_us,
               e.execution_id as "execution_id?: ExecutionId", e.pool as "pool?",
               e.actor as "agent?", e.llm_provider, e.wait_id as "wait_id?: WaitId",
               greatest(e.claim_epoch, now_us()) as "epoch!",
               not exists (select from jobs j where j.subject = s.session_id)
                   and not exists (select from jobs j where j.subject = e.work)
                   and not exists (select from dead_jobs d where d.subject in (s.session_id, e.work))
                   as "stranded!"
        from alert_sessions s
        left join lateral (
            -- Branches run in parallel. The one without a job comes first.
            select x.execution_id, pool, concat_ws(':', requires, agent) as actor, llm_provider, claim_epoch, w.wait_id, k.work
            from stage_executions x
            left join waits w on x.status = 'waiting' and w.execution_id = x.execution_id and w.decision is null
            cross join lateral (select coalesce(w.wait_id, x.execution_id) as work) k
            where x.session_id = s.session_id and x.status in ('pending', 'active', 'waiting')
            order by exists (select from jobs j where j.subject = k.work),
                     exists (select from dead_jobs d where d.subject = k.work), stage_index, attempt desc limit 1
        ) e on true
        where s.status in ('pending', 'in_progress')
          and s.started_at_us > $1 and s.started_at_us < now_us() - 5000000
        order by s.started_at_us
        limit $2
        "#,
        after,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let full = i64::try_from(scanned.len()).is_ok_and(|n| n >= limit);
    let next = scanned.last().filter(|_| full).map(|r| r.started_at_us);
    let stranded = scanned
        .into_iter()
        .filter(|r| r.stranded)
        .map(|r| Stranded {
            session_id: r.session_id,
            severity: r.severity,
            wait: r.wait_id,
            stage: r
                .execution_id
                .zip(r.pool.zip(r.agent))
                .map(|(execution_id, (pool, agent))| StrandedStage {
                    execution_id,
                    pool,
                    agent,
                    llm_provider: r.llm_provider,
                    epoch: r.epoch,
                }),
        });
    Ok((stranded.collect(), next))
}
