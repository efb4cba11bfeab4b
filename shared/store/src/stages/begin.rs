//! Begins stages under their claims.

use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgConnection;
use tarsy_chain::{AgentStage, StageDefinition};
use tarsy_model::{
    Actor, AlertProcessingData, BranchInput, Change, ClaimRef, ExecutionId, ModelOptions,
    SessionId, UnixMicros, read_document,
};

use super::previous::previous_stages;
use crate::Error;

/// A claimed stage to begin.
#[derive(Clone, Copy, Debug)]
pub struct BeginStage {
    /// Row of `stage_executions`.
    pub execution_id: ExecutionId,
    /// Job, owner and epoch. Without a match nothing is written.
    pub claim: ClaimRef,
    /// Number of workers that crashed while running it.
    pub crashes: i32,
}

/// A stage that has begun, with its agent's input.
#[derive(Clone, Debug)]
pub struct BegunStage {
    /// Row of `stage_executions`.
    pub execution_id: ExecutionId,
    /// Position in the chain.
    pub stage_index: i32,
    /// Number of stages of the chain.
    pub stage_count: i32,
    /// Number of the attempt, from 1. A replay adds one.
    pub attempt: i32,
    /// Actor that runs the stage, as written by [`Actor`].
    pub agent: String,
    /// Iteration strategy, resolved when the stage was created.
    pub strategy: Option<String>,
    /// Provider configured for the stage or chain, if any.
    pub llm_provider: Option<String>,
    /// Time until the deadline; zero or negative if it has passed.
    pub remaining_ms: i64,
    /// Time when this attempt first began; `None` if unknown.
    pub started_at_us: Option<UnixMicros>,
    /// Total duration of all snoozes, in ms.
    pub snoozed_ms: i64,
    /// Whether the attempt already has recorded interactions, because a worker began it before.
    pub resumed: bool,
    /// Severity of the session, which determines the priority of its jobs.
    pub severity: String,
    /// W3C trace context of the alert's request.
    pub traceparent: Option<String>,
    /// All stages of the chain.
    pub stages: Vec<StageDefinition>,
    /// Provider that the chain sets for its stages.
    pub chain_llm_provider: Option<String>,
    /// Reason why the stage's rows can't be read, if so. The stage must fail.
    pub unreadable: Option<String>,
    /// Changes that the stage's first prompt listed, if recorded. A worker that resumes the stage uses the same ones.
    pub changes: Option<Vec<Change>>,
    /// Input of the agent.
    pub data: AlertProcessingData,
}

impl BegunStage {
    /// Returns the name of the configured agent that runs the stage, or the name of the actor if no agent does.
    #[must_use]
    pub fn agent_name(&self) -> &str {
        Actor::parse(&self.agent).agent().unwrap_or(&self.agent)
    }

    /// Returns the stage's definition, if an agent runs it.
    #[must_use]
    pub fn agent_stage(&self) -> Option<&AgentStage> {
        let index = usize::try_from(self.stage_index).ok()?;
        self.stages.get(index)?.kind.as_agent()
    }

    /// Returns the stage whose claims this one verifies, if any.
    #[must_use]
    pub fn verifies(&self) -> Option<&str> {
        self.agent_stage()?.verifies.as_deref()
    }

    /// Returns the model options of the stage's definition.
    #[must_use]
    pub fn model_options(&self) -> Option<&ModelOptions> {
        Some(&self.agent_stage()?.model_options)
    }

    /// Returns the agents that the stage may dispatch. `None`: those configured for its agent.
    #[must_use]
    pub fn sub_agents(&self) -> Option<&[String]> {
        self.agent_stage()?.sub_agents.as_deref()
    }
}

/// Begins claimed stages: marks them active under their claim, publishes the events, and reads their input.
///
/// Omits stages that have ended or whose claim is lost; the caller must complete their jobs without running them. A
/// lost claim is detected in two ways: its job has another holder, or the stage has a higher epoch because that holder
/// began it at the same moment. It is safe to call this again after a crash. The start time and the deadline stay
/// those of the first begin.
///
/// The transaction does not wait for the disk. If a crash of Postgres undoes a begin, the stage begins again. Any
/// later record is a durable commit, which makes this one durable too.
///
/// A stage whose rows can't be read begins too, with [`BegunStage::unreadable`] set, so that only this stage fails.
pub async fn begin_stages(
    conn: &mut PgConnection,
    begin: &[BeginStage],
) -> Result<Vec<BegunStage>, Error> {
    let rows = sqlx::query!(
        r#"
        with begun as (
            update stage_executions e
            set status = 'active', claim_owner = b.owner, claim_epoch = b.epoch, crash_count = b.crashes,
                started_at_us = coalesce(e.started_at_us, now_us()),
                deadline_at = coalesce(e.deadline_at, now() + e.timeout_ms * interval '1 ms')
            from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::int[], $5::uuid[])
                 as b (execution_id, owner, epoch, crashes, job_id),
                 alert_sessions s,
                 (select set_config('synchronous_commit', 'off', true) as setting) relaxed
            where e.execution_id = any(array[b.execution_id]) and s.session_id = any(array[e.session_id])
              and relaxed.setting is not null
              and e.completed_at_us is null and s.completed_at_us is null and coalesce(e.claim_epoch, -1) <= b.epoch
              and exists (select from jobs j
                          where j.id = any(array[b.job_id]) and j.owner is not distinct from b.owner and j.epoch = b.epoch)
            returning e.execution_id, e.session_id, e.stage_index, e.stage_name, e.agent, e.requires, e.iteration_strategy,
                e.llm_provider, e.attempt, e.branch, e.branch_count, e.branch_name, e.branch_item, e.created_at_us, e.started_at_us, e.deadline_at, e.snoozed_ms, e.changes, s.alert_type, s.severity, s.alert_timestamp_us, s.alert_data,
                s.runbook_url, s.runbook_content, s.runbook_error, s.chain_id, s.traceparent,
                case jsonb_typeof(s.chain_definition -> 'stages')
                    when 'array' then jsonb_array_length(s.chain_definition -> 'stages') else 0 end as stage_count,
                s.chain_definition -> 'stages' as stages,
                s.chain_definition ->> 'llm_provider' as chain_llm_provider,
                exists (select from llm_interactions i where i.stage_execution_id = e.execution_id)
                    or exists (select from mcp_interactions i where i.stage_execution_id = e.execution_id) as resumed
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'stage_progress', stage_event(
                session_id, execution_id, stage_index, stage_count, stage_name, agent, attempt, branch, branch_name,
                'active', case when resumed then 'resumed by another worker' end)
            from begun
        )
        select b.execution_id as "execution_id!: ExecutionId", b.session_id as "session_id!: SessionId",
            b.stage_index as "stage_index!", b.stage_name as "stage_name!", concat_ws(':', b.requires, b.agent) as "agent!", b.iteration_strategy,
            b.llm_provider, b.attempt as "attempt!",
            (extract(epoch from b.deadline_at - clock_timestamp()) * 1000)::bigint as "remaining_ms!",
            b.started_at_us as "started_at_us: UnixMicros", b.snoozed_ms as "snoozed_ms!", b.changes::text as "changes", b.resumed as "resumed!", b.alert_type as "alert_type!", b.severity as "severity!",
            b.alert_timestamp_us as "alert_timestamp_us!: UnixMicros", b.alert_data::text as "alert_data!", b.runbook_url,
            b.runbook_content, b.runbook_error, b.chain_id as "chain_id!", b.traceparent,
            b.branch as "branch!", b.branch_count as "branch_count!", b.branch_name, b.branch_item,
            b.created_at_us as "created_at_us!", b.stage_count as "stage_count!", b.stages::text as "stages", b.chain_llm_provider,
            (select json_agg(json_build_object(
                        'stage_name', p.stage_name, 'stage_index', p.stage_index, 'agent', p.agent, 'status', p.status,
                        'output', p.stage_output, 'error', p.error_message, 'branch', p.branch,
                        'branch_count', p.branch_count, 'branch_name', p.branch_name, 'attempt', p.attempt,
                        'completed_at_us', p.completed_at_us))
             from (select distinct on (stage_index, branch) * from stage_executions
                   where session_id = b.session_id and stage_index < b.stage_index
                   order by stage_index, branch, attempt desc) p)::text as "previous"
        from begun b
        "#,
        &begin.iter().map(|b| b.execution_id.as_uuid()).collect::<Vec<_>>(),
        &begin.iter().map(|b| b.claim.owner).collect::<Vec<_>>(),
        &begin.iter().map(|b| b.claim.epoch).collect::<Vec<_>>(),
        &begin.iter().map(|b| b.crashes).collect::<Vec<_>>(),
        &begin.iter().map(|b| b.claim.job_id).collect::<Vec<_>>(),
    )
    .fetch_all(conn)
    .await?;

    Ok(rows
        .into_iter()
        .map(|r| {
            let mut unreadable = None;
            let alert_data = read_document(&r.alert_data).unwrap_or_else(|error| {
                unreadable = Some(error.to_string());
                Value::Null
            });
            let stages = part("chain", r.stages.as_deref(), &mut unreadable);
            let changes = r
                .changes
                .is_some()
                .then(|| part("changes", r.changes.as_deref(), &mut unreadable));
            let previous = part("earlier stages", r.previous.as_deref(), &mut unreadable);
            let stage_outputs = previous_stages(&stages, r.stage_index, r.created_at_us, previous);
            BegunStage {
                execution_id: r.execution_id,
                stage_index: r.stage_index,
                stage_count: r.stage_count,
                attempt: r.attempt,
                agent: r.agent,
                strategy: r.iteration_strategy,
                llm_provider: r.llm_provider,
                remaining_ms: r.remaining_ms,
                started_at_us: r.started_at_us,
                snoozed_ms: r.snoozed_ms,
                resumed: r.resumed,
                severity: r.severity.clone(),
                traceparent: r.traceparent,
                stages,
                chain_llm_provider: r.chain_llm_provider,
                unreadable,
                changes,
                data: AlertProcessingData {
                    session_id: r.session_id,
                    alert_type: r.alert_type,
                    severity: r.severity,
                    timestamp_us: r.alert_timestamp_us,
                    alert_data,
                    runbook_url: r.runbook_url,
                    runbook_content: r.runbook_content,
                    runbook_error: r.runbook_error,
                    chain_id: r.chain_id,
                    current_stage: r.stage_name,
                    branch: r.branch_name.map(|name| BranchInput {
                        name,
                        index: r.branch,
                        count: r.branch_count,
                        item: r.branch_item,
                    }),
                    stage_outputs,
                },
            }
        })
        .collect())
}

/// Reads a list from a row. If it can't be read, returns an empty list and sets `unreadable` to the reason.
fn part<T: DeserializeOwned>(
    name: &str,
    text: Option<&str>,
    unreadable: &mut Option<String>,
) -> Vec<T> {
    let read = text.map(serde_json::from_str::<Vec<T>>).transpose();
    match read {
        Ok(list) => list.unwrap_or_default(),
        Err(error) => {
            *unreadable = Some(format!("the stored {name} can't be read: {error}"));
            Vec::new()
        }
    }
}
