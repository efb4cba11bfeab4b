-- What models and tools were used for, by the hour in which the call was made. Chain workers fill it behind the ends of
-- sessions, like the tallies (docs/decisions/0037-usage.md); nothing that runs for an alert writes it. It outlives its sessions.

-- Where the price of a call came from, if not from the configuration: the date of the catalogue. Null in rows of workers
-- that have none.
alter table llm_interactions add column price_as_of text;

create table usage_hours (
    hour_us bigint not null,
    -- `model` or `tool`.
    kind text not null check (kind in ('model', 'tool')),
    -- Provider and model that answered; server and tool.
    provider text not null,
    model text not null,
    chain_id text not null,
    agent text not null,
    -- `own`, `catalogue <date>`, `none` (tokens without a price), `uncounted` (an answer without tokens); empty: nothing to pay.
    price text not null,
    calls bigint not null,
    failed bigint not null,
    -- Calls whose time is known, their times, and the longest.
    timed bigint not null,
    duration_ms bigint not null,
    max_duration_ms bigint not null,
    input_tokens bigint not null,
    cached_tokens bigint not null,
    output_tokens bigint not null,
    cost_usd double precision not null,
    primary key (hour_us, kind, provider, model, chain_id, agent, price)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- The calls of a session up to here are in `usage_hours`; a session that was run again has more of them after it.
create table session_usage_marks (
    session_id uuid primary key references alert_sessions on delete cascade,
    counted_until_us bigint not null
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Ends up to here are counted.
create table usage_cursor (
    only_one boolean primary key default true check (only_one),
    completed_at_us bigint not null default 0
);
insert into usage_cursor default values;

-- Sums over the calls of these sessions, each made after its `afters` and not after its `untils`. A replaced name (`answered_by`
-- is `provider/model`) is the one that answered, whose price was used.
create function usage_of(sessions uuid[], afters bigint[], untils bigint[])
returns table (hour_us bigint, kind text, provider text, model text, chain_id text, agent text, price text, calls bigint,
               failed bigint, timed bigint, duration_ms bigint, max_duration_ms bigint, input_tokens bigint,
               cached_tokens bigint, output_tokens bigint, cost_usd double precision)
language sql stable
as $$
    select c.timestamp_us / 3600000000 * 3600000000, c.kind, left(c.provider, 200), left(c.model, 200), s.chain_id, e.agent, c.price,
           count(*), count(*) filter (where c.success is false), count(c.duration_ms), coalesce(sum(c.duration_ms), 0)::bigint,
           coalesce(max(c.duration_ms), 0), coalesce(sum(c.input_tokens), 0)::bigint, coalesce(sum(c.cached_tokens), 0)::bigint,
           coalesce(sum(c.output_tokens), 0)::bigint, coalesce(sum(c.cost_usd), 0)
    from unnest(sessions, afters, untils) as w (session_id, after_us, until_us)
    join alert_sessions s on s.session_id = any(array[w.session_id])
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

-- Everything between two times: the hours that are summed up, and the calls of sessions that live or ended a moment ago. While
-- the cursor is more than ten minutes behind (after the upgrade), what lies between is not there yet.
create function usage_between(from_us bigint, until_us bigint)
returns table (hour_us bigint, kind text, provider text, model text, chain_id text, agent text, price text, calls bigint,
               failed bigint, timed bigint, duration_ms bigint, max_duration_ms bigint, input_tokens bigint,
               cached_tokens bigint, output_tokens bigint, cost_usd double precision)
language sql stable
as $$
    with uncounted as materialized (
        select s.session_id, coalesce(m.counted_until_us, 0) as after_us
        from (select session_id from alert_sessions where status in ('pending', 'in_progress') and status = 'in_progress'
              union all
              select session_id from alert_sessions
              where completed_at_us > greatest((select completed_at_us from usage_cursor), now_us() - 600000000)) s
        left join session_usage_marks m on m.session_id = any(array[s.session_id])
    )
    select h.* from usage_hours h where h.hour_us >= from_us and h.hour_us < until_us
    union all
    select u.* from usage_of(array(select session_id from uncounted order by session_id),
                             array(select after_us from uncounted order by session_id),
                             array(select 9223372036854775807 from uncounted)) u
    where u.hour_us >= from_us and u.hour_us < until_us
$$;

-- Add what these sessions used, as far as they have ended and were not counted up to their end; answers how many were.
create function count_usage(sessions uuid[]) returns bigint
language sql volatile
as $$
    with due as materialized (
        select s.session_id, coalesce(m.counted_until_us, 0) as after_us, s.completed_at_us as until_us
        from unnest(sessions) as ids (session_id)
        join alert_sessions s on s.session_id = any(array[ids.session_id])
        left join session_usage_marks m on m.session_id = any(array[ids.session_id])
        where s.completed_at_us > coalesce(m.counted_until_us, 0)
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
