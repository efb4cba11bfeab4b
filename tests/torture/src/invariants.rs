//! Invariants that hold once all work is done, each with a query for violations.

use anyhow::{Context, Result};
use serde::Serialize;
use sqlx::PgPool;

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Broken {
    /// Name, e.g. `I4`.
    pub(crate) invariant: &'static str,
    pub(crate) rule: &'static str,
    /// Number of violating rows.
    pub(crate) count: usize,
    /// Some of the rows.
    pub(crate) examples: Vec<String>,
}

/// Examples shown per rule.
const SHOWN: usize = 3;

const INTERACTIONS: &str = "(select stage_execution_id, interaction_id, sequence, claim_epoch, success from llm_interactions
    union all select stage_execution_id, interaction_id, sequence, claim_epoch, success from mcp_interactions) i";

/// Invariant, rule, query; `{i}` stands for all interactions.
const RULES: &[(&str, &str, &str)] = &[
    ("I1", "a session has not ended", "select session_id || ' ' || status from alert_sessions where status in ('pending', 'in_progress')"),
    ("I1", "an alert has two sessions", "select alert_data ->> 'incident' from alert_sessions group by 1 having count(*) > 1"),
    ("I2", "a job without its work", "select j.id || ' ' || j.kind from jobs j
        where not exists (select from alert_sessions where session_id = j.subject)
          and not exists (select from stage_executions where execution_id = j.subject)
          and not exists (select from waits where wait_id = j.subject)"),
    ("I2", "a live stage of an ended session", "select execution_id::text from stage_executions e join alert_sessions s using (session_id)
        where e.status in ('pending', 'active', 'waiting') and s.status not in ('pending', 'in_progress')"),
    ("I2", "a stage is missing", "select s.session_id || ' ' || i from alert_sessions s,
            generate_series(0, jsonb_array_length(s.chain_definition -> 'stages') - 1) i
        where s.status = 'completed'
          and not exists (select from stage_executions e where (e.session_id, e.stage_index) = (s.session_id, i))"),
    ("I2", "a chain went on without its runbook, and does not say why", "select session_id::text from alert_sessions
        where runbook_url is not null and runbook_content is null and runbook_error is null and status = 'completed'"),
    ("I3", "a stage attempt or a session ended twice", "select kind || ' ' || subject || ': ' || string_agg(old || ' to ' || new, ', ' order by id)
        from torture_ended group by kind, subject
        having count(*) > 1 + (select count(*) from audit_log where action = 'stage.replay' and audit_log.subject = torture_ended.subject::text)"),
    ("I4", "a write was accepted under a claim that a later one had replaced",
        "select what || ' ' || execution_id || ': epoch ' || epoch || ' while ' || held || ' held' from torture_stale"),
    ("I4", "an epoch did not rise", "select execution_id || ': ' || before || ' then ' || epoch from (
            select execution_id, epoch, lag(epoch) over (partition by execution_id order by id) as before from torture_begun) b
        where epoch <= before"),
    ("I4", "interactions of a stage go back to a lower epoch", "select execution from (
            select stage_execution_id::text as execution, claim_epoch,
                   lag(claim_epoch) over (partition by stage_execution_id order by sequence) as before from {i}) e
        where claim_epoch < before"),
    ("I3", "a wait was decided twice", "select wait_id || ': ' || string_agg(new, ', ' order by id) from torture_decided
        group by wait_id having count(*) > 1"),
    ("I2", "a wait is open", "select wait_id::text from waits where decision is null"),
    ("I5", "a branch or a join was started twice in a round", "select concat_ws(' ', session_id, stage_name, branch, round)
        from stage_executions group by session_id, stage_index, stage_name, branch, round having count(*) > 1"),
    // For each stage that it needs, take the newest run of each branch that is not newer than its own run. Stages that
    // may start early are excluded.
    ("I5", "a stage began before those that it needs had ended", "select e.execution_id || ' ' || e.stage_name || ' before ' || p.stage_name
        from stage_executions e join alert_sessions s using (session_id)
        cross join lateral (select s.chain_definition #> array['stages', e.stage_index::text] as own) d
        join lateral (select distinct on (stage_index, branch) * from stage_executions p
            where p.session_id = e.session_id and p.stage_index < e.stage_index and p.round <= e.round
              and case when d.own -> 'needs' is null then p.stage_index = e.stage_index - 1 else d.own -> 'needs' ? p.stage_name end
            order by stage_index, branch, round desc, attempt desc) p on true
        where e.started_at_us < p.completed_at_us and coalesce(d.own ->> 'join', 'all') = 'all'
          and coalesce(s.chain_definition #>> array['stages', p.stage_index::text, 'branches', 'success'], 'all') = 'all'"),
    ("I5", "a stage ran behind a gate that nobody opened", "select e.execution_id || ' ' || e.stage_name
        from stage_executions e join alert_sessions s using (session_id)
        where s.chain_id in ('gated', 'graph') and e.stage_name in ('collect', 'fix') and e.status not in ('skipped', 'cancelled')
          and e.started_at_us is not null
          and not exists (select from waits w join stage_executions g using (execution_id)
              where g.session_id = e.session_id and g.stage_name = 'gate' and w.decision = 'approved'
                and g.round = (select max(o.round) from stage_executions o
                               where o.session_id = e.session_id and o.stage_name = 'gate' and o.round <= e.round))"),
    ("I5", "a call was made that was not approved", "select i.interaction_id || ' ' || w.decision from mcp_interactions i
        join waits w on w.execution_id = i.stage_execution_id and (w.call ->> 'sequence')::int = i.sequence
        where w.decision is distinct from 'approved' and not i.refused"),
    ("I6", "a completed stage has a call without an outcome", "select interaction_id::text from {i}
            join stage_executions e on e.execution_id = i.stage_execution_id
        where i.success is null and e.status = 'completed'"),
    ("I8", "interactions of a stage are not numbered through", "select stage_execution_id || ': ' || string_agg(sequence::text, ' ' order by sequence)
        from {i} group by stage_execution_id
        having count(distinct sequence) <> count(*) or max(sequence) - min(sequence) + 1 <> count(*)"),
    ("I8", "a session that grew old is still there", "select session_id::text from torture_retired join alert_sessions using (session_id)
        -- A session that was replayed since then has a later end, so it is no longer old.
        where completed_at_us < now_us() - 8640000000000"),
    ("I8", "a replay or cancel is not in the audit log", "select s.session_id::text from alert_sessions s
        where (s.status = 'cancelled' or exists (select from stage_executions e where e.session_id = s.session_id and e.round > 0))
          and not exists (select from audit_log where subject = s.session_id::text)"),
    ("I9", "a stage that kills nobody failed as one that does", "select execution_id || ' ' || agent || ': ' || coalesce(error_message, '')
        from stage_executions where error_class = 'crashed' and agent <> 'Poisoner'"),
    ("I9", "a job is dead", "select kind || ' ' || reason || ': ' || error from dead_jobs"),
    ("I10", "a job is left over", "select row_to_json(j)::text from jobs j"),
    ("I10", "a transaction was left open", "select pid || ' ' || application_name from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%' and clock_timestamp() - state_change > interval '5 s'"),
    ("I11", "a secret is in a table", "select name || ' ' || id from (
            select 'mcp_interactions' as name, interaction_id::text as id,
                   concat(tool_arguments, tool_result, available_tools, error_message) as content from mcp_interactions
            union all select 'llm_interactions', interaction_id::text,
                   concat(new_messages, response_text, thinking, tool_calls, error_message, attempts) from llm_interactions
            union all select 'stage_executions', execution_id::text, concat(stage_output, error_message) from stage_executions
            union all select 'alert_sessions', session_id::text, concat(final_analysis, error_message) from alert_sessions
            union all select 'events', id::text, payload::text from events) t
        where content like '%canary-5up3r%'"),
    ("I11", "no secret of a tool arrived masked, so nothing was shown", "select 'none of ' || count(*) from mcp_interactions
        where tool_name in ('look', 'act') and success
        having count(*) > 0 and count(*) filter (where tool_result::text like '%answers 503%[MASKED_%') = 0"),
];

/// Returns the violations in the rows.
pub(crate) async fn of_rows(pool: &PgPool) -> Result<Vec<Broken>> {
    let mut broken = Vec::new();
    for (invariant, rule, query) in RULES {
        let query = query.replace("{i}", INTERACTIONS);
        let rows: Vec<Option<String>> = sqlx::query_scalar(sqlx::AssertSqlSafe(query))
            .fetch_all(pool)
            .await
            .with_context(|| format!("{invariant}, {rule}"))?;
        let rows = rows.into_iter().map(Option::unwrap_or_default);
        broken.extend(broken_by(invariant, rule, rows));
    }
    Ok(broken)
}

/// Returns a violation, if any rows violate the rule.
pub(crate) fn broken_by(
    invariant: &'static str,
    rule: &'static str,
    rows: impl IntoIterator<Item = String>,
) -> Option<Broken> {
    let rows: Vec<String> = rows.into_iter().collect();
    let examples = rows.iter().take(SHOWN).cloned().collect();
    (!rows.is_empty()).then_some(Broken {
        invariant,
        rule,
        count: rows.len(),
        examples,
    })
}
