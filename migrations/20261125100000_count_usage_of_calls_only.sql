-- Usage is counted and marked only for sessions that called something: others paid for a mark each, with a look at its foreign key,
-- and for four looks into tables that say nothing about them.

-- As before; calls are summed up by stage before stages, sessions and children are looked up.
create or replace function usage_of(sessions uuid[], afters bigint[], untils bigint[])
returns table (hour_us bigint, kind text, provider text, model text, chain_id text, agent text, price text, calls bigint,
               failed bigint, timed bigint, duration_ms bigint, max_duration_ms bigint, input_tokens bigint,
               cached_tokens bigint, output_tokens bigint, cost_usd double precision)
language sql stable
as $$
    with by_stage as materialized (
        select w.session_id, c.stage_execution_id, c.timestamp_us / 3600000000 * 3600000000 as hour_us, c.kind,
               left(c.provider, 200) as provider, left(c.model, 200) as model, c.price,
               count(*) as calls, count(*) filter (where c.success is false) as failed, count(c.duration_ms) as timed,
               sum(c.duration_ms) as duration_ms, max(c.duration_ms) as max_duration_ms, sum(c.input_tokens) as input_tokens,
               sum(c.cached_tokens) as cached_tokens, sum(c.output_tokens) as output_tokens, sum(c.cost_usd) as cost_usd
        from unnest(sessions, afters, untils) as w (session_id, after_us, until_us)
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
        group by 1, 2, 3, 4, 5, 6, 7
    )
    select c.hour_us, c.kind, c.provider, c.model, coalesce(d.chain_id, s.chain_id), e.agent, c.price,
           sum(c.calls)::bigint, sum(c.failed)::bigint, sum(c.timed)::bigint, coalesce(sum(c.duration_ms), 0)::bigint,
           coalesce(max(c.max_duration_ms), 0), coalesce(sum(c.input_tokens), 0)::bigint,
           coalesce(sum(c.cached_tokens), 0)::bigint, coalesce(sum(c.output_tokens), 0)::bigint, coalesce(sum(c.cost_usd), 0)
    from by_stage c
    join stage_executions e on e.execution_id = any(array[c.stage_execution_id])
    join alert_sessions s on s.session_id = any(array[c.session_id])
    -- What a child used is its chain's.
    left join child_sessions d on d.session_id = any(array[c.session_id])
    group by 1, 2, 3, 4, 5, 6, 7
$$;

-- As before, but for sessions with calls: one without has nothing to be counted twice, so it needs no mark.
create or replace function count_usage(sessions uuid[]) returns bigint
language sql volatile
as $$
    with due as materialized (
        select s.session_id, coalesce(m.counted_until_us, 0) as after_us, s.completed_at_us as until_us
        from unnest(sessions) as ids (session_id)
        join alert_sessions s on s.session_id = any(array[ids.session_id])
        left join session_usage_marks m on m.session_id = any(array[ids.session_id])
        where s.completed_at_us > coalesce(m.counted_until_us, 0)
          -- Not in any index that holds the end: while tables are young, one of those was read whole for each session.
          and s.source is not null
          -- `any(array[..])`: by index, however many sessions are looked at.
          and (exists (select from llm_interactions i where i.session_id = any(array[s.session_id]))
               or exists (select from mcp_interactions i where i.session_id = any(array[s.session_id])))
    ), marked as (
        insert into session_usage_marks as mark (session_id, counted_until_us)
        select session_id, until_us from due
        on conflict (session_id) do update set counted_until_us = excluded.counted_until_us
    ), kept as (
        insert into usage_hours as kept
        select u.* from usage_of(array(select session_id from due order by session_id),
                                 array(select after_us from due order by session_id),
                                 array(select until_us from due order by session_id)) u
        on conflict (hour_us, kind, provider, model, chain_id, agent, price) do update set
            calls = kept.calls + excluded.calls, failed = kept.failed + excluded.failed, timed = kept.timed + excluded.timed,
            duration_ms = kept.duration_ms + excluded.duration_ms,
            max_duration_ms = greatest(kept.max_duration_ms, excluded.max_duration_ms),
            input_tokens = kept.input_tokens + excluded.input_tokens, cached_tokens = kept.cached_tokens + excluded.cached_tokens,
            output_tokens = kept.output_tokens + excluded.output_tokens, cost_usd = kept.cost_usd + excluded.cost_usd
    )
    select count(*) from due
$$;
