//! Invariants of the rows that hold once all work is done.

use sqlx::PgPool;

/// Invariants: the message of a violation, and a query that finds violations.
const RULES: &[(&str, &str)] = &[
    (
        "a session has not ended",
        "select session_id::text from alert_sessions where status in ('pending', 'in_progress')",
    ),
    ("a job is left over", "select row_to_json(j)::text from jobs j"),
    ("a job is dead", "select row_to_json(j)::text from dead_jobs j"),
    (
        "a stage has not ended",
        "select execution_id::text from stage_executions where status in ('pending', 'active', 'waiting')",
    ),
    (
        "a wait is open",
        "select wait_id::text from waits where decision is null",
    ),
    (
        "a call was made that was not approved",
        "select i.interaction_id::text from mcp_interactions i
         join waits w on w.execution_id = i.stage_execution_id and (w.call ->> 'sequence')::int = i.sequence
         where w.decision <> 'approved' and not i.refused",
    ),
    (
        // A cancelled session has no attempts of the stages that it had not reached.
        "a stage of a chain, or a branch of it, has not exactly one attempt",
        "select s.session_id || ' stage ' || i
         from alert_sessions s, generate_series(0, jsonb_array_length(s.chain_definition -> 'stages') - 1) i
         where (select count(*) <> coalesce(max(branch_count), 0) or count(*) <> count(distinct branch)
                from stage_executions e where (e.session_id, e.stage_index) = (s.session_id, i))
            or s.status <> 'cancelled'
               and not exists (select from stage_executions e where (e.session_id, e.stage_index) = (s.session_id, i))",
    ),
    (
        "an event of a stage lacks a member that docs/LIVE.md promises, or differs from its row",
        "select v.payload::text from events v
         left join stage_executions e on e.execution_id = (v.payload ->> 'execution_id')::uuid
         where v.kind = 'stage_progress' and (
             not v.payload ?& '{type,session_id,execution_id,stage_index,stage_count,stage_name,agent,attempt,branch,
                                branch_name,status,message}'
             or v.payload ->> 'agent' <> regexp_replace(e.agent, '^((structured|dispatching|labelling|verifying)-agent:)+', '')
             or ((v.payload ->> 'branch')::int, v.payload ->> 'branch_name') is distinct from (e.branch, e.branch_name))",
    ),
    (
        "a completed stage has no output, or another one has",
        "select execution_id::text from stage_executions where (status = 'completed') <> (stage_output is not null)",
    ),
    (
        "a stage began before one that it needs had ended",
        "select e.execution_id::text
         from stage_executions e
         join alert_sessions s using (session_id)
         join stage_executions p on p.session_id = e.session_id
             and case when s.chain_definition #> array['stages', e.stage_index::text, 'needs'] is null
                 then p.stage_index = e.stage_index - 1
                 else s.chain_definition #> array['stages', e.stage_index::text, 'needs'] ? p.stage_name end
         where e.started_at_us < p.completed_at_us",
    ),
    (
        "a stage ended that has an interaction without an outcome",
        "select i.interaction_id::text from (
             select interaction_id, success from llm_interactions
             union all select interaction_id, success from mcp_interactions) i
         where i.success is null",
    ),
    (
        "interactions of a stage are not numbered through",
        "select stage_execution_id || ': ' || string_agg(sequence::text, ' ' order by sequence) from (
             select stage_execution_id, sequence from llm_interactions
             union all select stage_execution_id, sequence from mcp_interactions) i
         group by stage_execution_id
         having count(distinct sequence) <> count(*) or max(sequence) - min(sequence) + 1 <> count(*)",
    ),
    (
        // Calls of one answer are made concurrently. A takeover claims the open ones anew, but not those that
        // have a result.
        "an interaction was begun under an epoch lower than that of one before it",
        "select execution from (
             select stage_execution_id::text as execution, claim_epoch,
                    max(claim_epoch) over (partition by stage_execution_id order by iteration, is_call
                                           groups between unbounded preceding and 1 preceding) as before
             from (select stage_execution_id, iteration, false as is_call, claim_epoch from llm_interactions
                   union all select stage_execution_id, iteration, true, claim_epoch from mcp_interactions) i) e
         where claim_epoch < before",
    ),
    (
        "an interaction bears an epoch that its stage never had",
        "select i.interaction_id::text from (
             select interaction_id, stage_execution_id, claim_epoch from llm_interactions
             union all select interaction_id, stage_execution_id, claim_epoch from mcp_interactions) i
         join stage_executions e on e.execution_id = i.stage_execution_id
         where i.claim_epoch > e.claim_epoch",
    ),
    (
        "a session's end was told more or less than once",
        "select s.session_id::text from alert_sessions s
         where 1 <> (select count(*) from events e
                     where e.session_id = s.session_id and e.kind like 'session%'
                       and e.payload ->> 'status' in ('completed', 'failed', 'cancelled'))",
    ),
];

/// Returns all violations in the rows. Empty if all work is done exactly once.
pub async fn violations(pool: &PgPool) -> Vec<String> {
    let mut found = Vec::new();
    let mut conn = pool.acquire().await.unwrap();
    // The planner estimates these queries as expensive, so it would compile them, which takes longer than running them.
    sqlx::raw_sql("set jit = off")
        .execute(&mut *conn)
        .await
        .unwrap();
    for (rule, query) in RULES {
        let rows: Vec<String> = sqlx::query_scalar(*query)
            .fetch_all(&mut *conn)
            .await
            .unwrap();
        found.extend(rows.into_iter().map(|row| format!("{rule}: {row}")));
    }
    found
}
