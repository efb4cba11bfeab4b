-- Child sessions: what an agent dispatched to a sub-agent, as a session of chain `sub-agent`.
--
-- A table of its own: sessions without children pay nothing for it.
create table child_sessions (
    session_id uuid primary key references alert_sessions on delete cascade,
    -- The stage whose agent dispatched it.
    parent_execution_id uuid not null references stage_executions on delete cascade,
    -- The call that dispatched it: a call that is made again after a crash finds its child.
    interaction_id uuid not null unique,
    agent text not null,
    -- What it is to do. Masked.
    task text not null,
    -- Chain of the session at the top: what a child spends is that chain's.
    chain_id text not null,
    -- 1: dispatched by a stage of an alert's session or of a question.
    depth integer not null check (depth > 0)
);

create index child_sessions_parent on child_sessions (parent_execution_id);

-- As before, but what a child used is its chain's.
create or replace function usage_of(sessions uuid[], afters bigint[], untils bigint[])
returns table (hour_us bigint, kind text, provider text, model text, chain_id text, agent text, price text, calls bigint,
               failed bigint, timed bigint, duration_ms bigint, max_duration_ms bigint, input_tokens bigint,
               cached_tokens bigint, output_tokens bigint, cost_usd double precision)
language sql stable
as $$
    select c.timestamp_us / 3600000000 * 3600000000, c.kind, left(c.provider, 200), left(c.model, 200),
           coalesce(d.chain_id, s.chain_id), e.agent, c.price,
           count(*), count(*) filter (where c.success is false), count(c.duration_ms), coalesce(sum(c.duration_ms), 0)::bigint,
           coalesce(max(c.duration_ms), 0), coalesce(sum(c.input_tokens), 0)::bigint, coalesce(sum(c.cached_tokens), 0)::bigint,
           coalesce(sum(c.output_tokens), 0)::bigint, coalesce(sum(c.cost_usd), 0)
    from unnest(sessions, afters, untils) as w (session_id, after_us, until_us)
    join alert_sessions s on s.session_id = any(array[w.session_id])
    left join child_sessions d on d.session_id = any(array[w.session_id])
    cross join lateral (
        select i.stage_execution_id, i.timestamp_us, 'model' as kind,
               case when i.answered_by is null then i.provider else split_part(i.answered_by, '/', 1) end as provider,
               case when i.answered_by is null then i.model_name
                    else substr(i.answered_by, strpos(i.answered_by, '/') + 1) end as model,
               case when i.cost_usd is not null then coalesce('catalogue ' || i.price_as_of, 'own')
                    when i.input_tokens is not null or i.output_tokens is not null then 'none'
                    when i.success then 'uncounted' else '' end as price,
               i.success, i.duration_ms, i.input_tokens, i.cached_tokens, i.output_tokens, i.cost_usd
        from llm_interactions i
        where i.session_id = w.session_id and i.timestamp_us > w.after_us and i.timestamp_us <= w.until_us
        union all
        select i.stage_execution_id, i.timestamp_us, 'tool', i.server_name, coalesce(i.tool_name, ''), '',
               i.success, i.duration_ms, null, null, null, null
        from mcp_interactions i
        where i.session_id = w.session_id and i.timestamp_us > w.after_us and i.timestamp_us <= w.until_us
          and i.communication_type = 'tool_call'
    ) c
    join stage_executions e on e.execution_id = any(array[c.stage_execution_id])
    group by 1, 2, 3, 4, 5, 6, 7
$$;
