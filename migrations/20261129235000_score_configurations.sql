-- Scores say which configuration the concluding stage had.

-- The last stage's agent with the first digits of the hash of what it ran under; empty: no stage has one, or the session
-- was scored before this column was there. At the end, where workers of the older version put the function's columns too.
alter table session_scores add column configuration text not null default '';

drop function scores_of(uuid[]);

-- Scores of these sessions, as far as they have ended.
create function scores_of(sessions uuid[])
returns table (session_id uuid, completed_at_us bigint, chain_id text, model text, verdict text, is_without_call boolean, checked integer,
               found integer, unknown_names integer, calls integer, failed_calls integer, repeated_calls integer, refused_calls integer,
               silent_servers integer, tokens bigint, cost_usd double precision,
               configuration text)
language sql stable
as $$
    select s.session_id, s.completed_at_us, s.chain_id, coalesce(m.model, ''), coalesce(s.verdict, 'not_checked'),
           coalesce(s.verdict_check -> 'tools_offered' = 'true', false) and c.sent = 0 and count_in(s.verdict_check, 'calls') = 0,
           count_in(s.verdict_check, 'checked'), count_in(s.verdict_check, 'found'), count_in(s.verdict_check, 'unknown_names'),
           c.sent, c.failed, c.repeated, c.refused, c.silent, coalesce(m.tokens, 0), coalesce(m.cost_usd, 0),
           coalesce(e.configuration, '')
    from unnest(sessions) as ids (session_id)
    -- `any(array[..])`: by index, however many sessions are looked at.
    join alert_sessions s on s.session_id = any(array[ids.session_id])
    cross join lateral (
        select (array_agg(used.model order by used.calls desc, used.model))[1] as model, sum(used.tokens)::bigint as tokens,
               sum(used.cost_usd) as cost_usd
        from (select left(case when i.answered_by is null then i.model_name
                               else substr(i.answered_by, strpos(i.answered_by, '/') + 1) end, 200) as model,
                     count(*) as calls, sum(coalesce(i.input_tokens, 0) + coalesce(i.output_tokens, 0)) as tokens, sum(i.cost_usd) as cost_usd
              from llm_interactions i where i.session_id = ids.session_id group by 1) used
    ) m
    cross join lateral (
        select coalesce(sum(sent), 0)::integer as sent, coalesce(sum(failed), 0)::integer as failed,
               coalesce(sum(sent - different), 0)::integer as repeated, coalesce(sum(refused), 0)::integer as refused,
               (count(*) filter (where sent > 0 and sent = failed))::integer as silent
        from (select count(*) filter (where not i.refused) as sent, count(*) filter (where not i.refused and i.success is not true) as failed,
                     count(distinct (i.tool_name, i.tool_arguments)) filter (where not i.refused) as different,
                     count(*) filter (where i.refused) as refused
              from mcp_interactions i
              where i.session_id = ids.session_id and i.communication_type = 'tool_call' and i.server_name not in ('tarsy', 'agents')
              group by i.server_name) by_server
    ) c
    left join lateral (
        -- The column begins with what the stage requires of a worker, if it requires anything.
        select left(substring(x.agent from '[^:]*$'), 100) || ' ' || left(x.configuration_hash, 12) as configuration
        from stage_executions x
        where x.session_id = any(array[ids.session_id]) and x.configuration_hash is not null
        order by x.stage_index desc, x.attempt desc
        limit 1
    ) e on true
    where s.completed_at_us is not null and s.parent_session_id is null
$$;
