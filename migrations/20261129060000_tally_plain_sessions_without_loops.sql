-- Most sessions have neither branches, replays nor sub-agents. Their states are read by the plan of the query itself: the functions, which
-- run a loop for each session, are called for the others alone.

-- A letter per stage of a session, as `stage_states` writes them.
create function stage_letters(session uuid, chain jsonb) returns table (letters text)
language sql stable
as $$
    -- The newest attempts are the whole answer if each is the only branch of a first run, and no stage before one of them is missing.
    select case when bool_and(x.is_plain) is not false and coalesce(max(x.stage_index) + 1, 0) = count(*)
                then coalesce(string_agg(x.letter, '' order by x.stage_index), '')
                     || repeat('-', (case jsonb_typeof(chain -> 'stages') when 'array' then jsonb_array_length(chain -> 'stages') else 0 end)
                                    - count(*)::integer)
                else stage_states(session, chain) end
    from (
        select distinct on (e.stage_index) e.stage_index, e.branch_count = 1 and e.round = 0 as is_plain,
               case e.status when 'active' then 'a' when 'waiting' then 'w' when 'pending' then 'p' when 'cancelled' then 'x'
                   when 'failed' then 'f' when 'skipped' then 's' else 'c' end as letter
        from stage_executions e where e.session_id = session order by e.stage_index, e.attempt desc
    ) x
$$;

-- As before.
create or replace function tallies_of(sessions uuid[])
returns table (session_id uuid, stage_states text, completed_stages bigint, failed_stages bigint, llm_calls bigint, mcp_calls bigint,
               input_tokens bigint, output_tokens bigint, cost_usd double precision)
language sql stable
as $$
    select s.session_id, e.letters, (length(e.letters) - length(replace(e.letters, 'c', '')))::bigint,
           (length(e.letters) - length(replace(e.letters, 'f', '')))::bigint, l.number, m.number,
           coalesce(l.input_tokens + d.input_tokens, l.input_tokens, d.input_tokens),
           coalesce(l.output_tokens + d.output_tokens, l.output_tokens, d.output_tokens),
           coalesce(l.cost_usd + d.cost_usd, l.cost_usd, d.cost_usd)
    from unnest(sessions) as ids (session_id)
    -- `any(array[..])`: by index, however many sessions are looked at.
    join alert_sessions s on s.session_id = any(array[ids.session_id])
    cross join lateral stage_letters(s.session_id, s.chain_definition) e
    cross join lateral (
        select count(*) as number, sum(i.input_tokens)::bigint as input_tokens, sum(i.output_tokens)::bigint as output_tokens,
               sum(i.cost_usd) as cost_usd
        from llm_interactions i where i.session_id = ids.session_id
    ) l
    cross join lateral (select count(*) as number from mcp_interactions i where i.session_id = ids.session_id) m
    cross join lateral (
        select sum(i.input_tokens)::bigint as input_tokens, sum(i.output_tokens)::bigint as output_tokens, sum(i.cost_usd) as cost_usd
        from llm_interactions i
        where i.session_id = any(case when exists (select from alert_sessions c where c.parent_session_id = ids.session_id)
                                      then made_for(ids.session_id) end)
    ) d
$$;
