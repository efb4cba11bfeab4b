-- Lists show the state of each stage of a session, in the order of the chain: a letter per stage, kept with the counts of ended sessions.
--
--   c completed   f failed   s skipped   x cancelled   a active   w waiting   p pending   - not started
--
-- A stage with branches has the state that its chain goes on with (tarsy_chain::settled_status): of its branches' current rows the worst,
-- or completed if one completed and `success` is `any`. One with a row older than a replay of a stage that it needs, directly or through
-- others, counts as not started: it will run again (tarsy_chain::outdated_ancestor).
--
-- A loop and no query over the chain: that was planned and started anew for each session, which took ten times as long.
create function stage_states(session uuid, chain jsonb) returns text
language plpgsql stable
as $$
declare
    stages jsonb := case jsonb_typeof(chain -> 'stages') when 'array' then chain -> 'stages' else '[]' end;
    many integer := jsonb_array_length(stages);
    states text[] := array_fill('-'::text, array[many]);
    -- The newest and the oldest round of the branches of each.
    rounds integer[] := array_fill(0, array[many]);
    oldest integer[] := rounds;
    -- The newest round among the stages that each one needs, directly or through others.
    needed integer[];
    newest integer := 0;
    e record;
    -- The stage that the loop is at, how many branches its last run had, and which of them it has seen.
    at integer := -1;
    branches integer;
    seen integer[];
    needs jsonb;
begin
    -- From the newest attempt of a stage to its oldest, as the index is ordered. Letters that win over others come first in the alphabet.
    for e in
        select x.stage_index, x.branch, x.branch_count, x.round,
               case x.status when 'active' then 'a' when 'waiting' then 'b' when 'pending' then 'c' when 'cancelled' then 'd'
                   when 'failed' then 'e' when 'skipped' then 'f' else 'g' end as letter
        from stage_executions x where x.session_id = session order by x.stage_index desc, x.attempt desc
    loop
        continue when e.stage_index >= many;
        newest := greatest(newest, e.round);
        if e.stage_index <> at then
            at := e.stage_index;
            branches := e.branch_count;
            seen := array[e.branch];
            states[at + 1] := e.letter;
            rounds[at + 1] := e.round;
            oldest[at + 1] := e.round;
        elsif e.branch < branches and e.branch <> all(seen) then
            seen := seen || e.branch;
            rounds[at + 1] := greatest(rounds[at + 1], e.round);
            oldest[at + 1] := least(oldest[at + 1], e.round);
            states[at + 1] := case when 'g' in (states[at + 1], e.letter) and stages -> at #>> '{branches,success}' = 'any' then 'g'
                                   else least(states[at + 1], e.letter) end;
        end if;
    end loop;
    -- Only a replay leaves rows behind.
    if newest > 0 then
        needed := array_fill(0, array[many]);
        for i in 1 .. many loop
            needs := stages -> (i - 1) -> 'needs';
            for j in 1 .. i - 1 loop
                if (case jsonb_typeof(needs) when 'array' then needs ? (stages -> (j - 1) ->> 'name') else j = i - 1 end) then
                    needed[i] := greatest(needed[i], needed[j], rounds[j]);
                end if;
            end loop;
            if oldest[i] < needed[i] then
                states[i] := '-';
            end if;
        end loop;
    end if;
    return translate(array_to_string(states, ''), 'abcdefg', 'awpxfsc');
end
$$;

-- As `tally_sessions` before, with the states. The stages that completed and failed are counted from them, so one with branches counts as
-- one, and one beside a stage that was replayed counts too.
create function tallies_of(sessions uuid[])
returns table (session_id uuid, stage_states text, completed_stages bigint, failed_stages bigint, llm_calls bigint, mcp_calls bigint,
               input_tokens bigint, output_tokens bigint, cost_usd double precision)
language sql stable
as $$
    select s.session_id, e.states, (length(e.states) - length(replace(e.states, 'c', '')))::bigint,
           (length(e.states) - length(replace(e.states, 'f', '')))::bigint, l.number, m.number, l.input_tokens, l.output_tokens, l.cost_usd
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
$$;

-- What workers of the version before call.
create or replace function tally_sessions(sessions uuid[])
returns table (session_id uuid, completed_stages bigint, failed_stages bigint, llm_calls bigint, mcp_calls bigint,
               input_tokens bigint, output_tokens bigint, cost_usd double precision)
language sql stable
as $$
    select session_id, completed_stages, failed_stages, llm_calls, mcp_calls, input_tokens, output_tokens, cost_usd
    from tallies_of(sessions)
$$;

-- Null: to be read from the stages themselves. An index holds it, which has no room for chains of thousands of stages.
alter table session_tallies add column stage_states text;

-- Workers of the version before write tallies without the states.
create function keep_stage_states() returns trigger language plpgsql as $$
begin
    new.stage_states := (select e.states
                         from alert_sessions s cross join lateral (select stage_states(s.session_id, s.chain_definition) as states offset 0) e
                         where s.session_id = new.session_id and length(e.states) <= 1000);
    return new;
end
$$;

create trigger session_tallies_have_states before insert on session_tallies
    for each row when (new.stage_states is null) execute function keep_stage_states();

create trigger session_tallies_keep_states before update on session_tallies
    for each row when (new.stage_states is null or new.completed_at_us is distinct from old.completed_at_us)
    execute function keep_stage_states();

-- Chain workers tally all sessions anew, oldest first.
update session_tallies_cursor set completed_at_us = 0;
