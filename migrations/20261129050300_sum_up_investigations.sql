-- What an investigation took: tokens and cost of a session are those of its own calls, of its sub-agents', of the questions about it, and of
-- what these dispatched.

-- Sessions that were made for this one, directly or through others: its sub-agents, the questions about it, and theirs. Null: there are none.
-- A loop and no recursive query, which is started anew for each session and takes ten times as long where it finds nothing.
create function made_for(session uuid) returns uuid[]
language plpgsql stable
as $$
declare
    level uuid[] := array[session];
    found uuid[];
begin
    loop
        level := (select array_agg(s.session_id) from alert_sessions s where s.parent_session_id = any(level));
        exit when level is null;
        found := found || level;
    end loop;
    return found;
end
$$;

-- As before, with the sums over all sessions that were made for a session, directly or through others.
create or replace function tallies_of(sessions uuid[])
returns table (session_id uuid, stage_states text, completed_stages bigint, failed_stages bigint, llm_calls bigint, mcp_calls bigint,
               input_tokens bigint, output_tokens bigint, cost_usd double precision)
language sql stable
as $$
    select s.session_id, e.states, (length(e.states) - length(replace(e.states, 'c', '')))::bigint,
           (length(e.states) - length(replace(e.states, 'f', '')))::bigint, l.number, m.number,
           coalesce(l.input_tokens + d.input_tokens, l.input_tokens, d.input_tokens),
           coalesce(l.output_tokens + d.output_tokens, l.output_tokens, d.output_tokens),
           coalesce(l.cost_usd + d.cost_usd, l.cost_usd, d.cost_usd)
    from unnest(sessions) as ids (session_id)
    -- `any(array[..])`: by index, however many sessions are looked at.
    join alert_sessions s on s.session_id = any(array[ids.session_id])
    cross join lateral (select stage_states(s.session_id, s.chain_definition) as states offset 0) e
    cross join lateral (
        select count(*) as number, sum(i.input_tokens)::bigint as input_tokens, sum(i.output_tokens)::bigint as output_tokens,
               sum(i.cost_usd) as cost_usd
        from llm_interactions i where i.session_id = ids.session_id
    ) l
    cross join lateral (select count(*) as number from mcp_interactions i where i.session_id = ids.session_id) m
    cross join lateral (
        select sum(i.input_tokens)::bigint as input_tokens, sum(i.output_tokens)::bigint as output_tokens, sum(i.cost_usd) as cost_usd
        from llm_interactions i where i.session_id = any(made_for(ids.session_id))
    ) d
$$;

-- A question is asked after the session's end, and a sub-agent may end after it: whatever version tallies them, the session that they were
-- made for is summed up again. The update fires the trigger for the session above it in turn.
create function sum_up_parents() returns trigger language plpgsql as $$
declare
    parents uuid[] := (select array_agg(distinct s.parent_session_id)
                       from written w join alert_sessions s on s.session_id = any(array[w.session_id])
                       where s.parent_session_id is not null);
begin
    if parents is not null then
        update session_tallies kept
        set input_tokens = t.input_tokens, output_tokens = t.output_tokens, cost_usd = t.cost_usd
        from tallies_of(parents) t
        where kept.session_id = any(array[t.session_id])
          and (kept.input_tokens, kept.output_tokens, kept.cost_usd) is distinct from (t.input_tokens, t.output_tokens, t.cost_usd);
    end if;
    return null;
end
$$;

create trigger session_tallies_sum_up_parents after insert on session_tallies
    referencing new table as written for each statement execute function sum_up_parents();

create trigger session_tallies_sum_up_parents_again after update on session_tallies
    referencing new table as written for each statement execute function sum_up_parents();

-- Chain workers tally all sessions anew, oldest first.
update session_tallies_cursor set completed_at_us = 0;
