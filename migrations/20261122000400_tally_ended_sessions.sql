-- What a list says of a session's stages and calls, in one narrow row for each session that ended. It was counted from
-- the records themselves: some 300 pages from all over three tables for a page of 50 sessions, each a read of the disk
-- where nobody had asked for these sessions lately. Chain workers fill it behind the sessions, the old ones too, oldest
-- first; what it does not hold, or holds of an earlier end, is counted as before.
create table session_tallies (
    session_id uuid not null references alert_sessions on delete cascade,
    completed_at_us bigint not null,
    completed_stages bigint not null,
    failed_stages bigint not null,
    llm_calls bigint not null,
    mcp_calls bigint not null,
    input_tokens bigint,
    output_tokens bigint,
    cost_usd double precision,
    -- Read from the index alone.
    primary key (session_id) include
        (completed_at_us, completed_stages, failed_stages, llm_calls, mcp_calls, input_tokens, output_tokens, cost_usd)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Ends up to here are tallied.
create table session_tallies_cursor (
    only_one boolean primary key default true check (only_one),
    completed_at_us bigint not null default 0
);
insert into session_tallies_cursor default values;

-- Count the stages and calls of these sessions: of each stage its newest attempt, of the newest round.
create function tally_sessions(sessions uuid[])
returns table (session_id uuid, completed_stages bigint, failed_stages bigint, llm_calls bigint, mcp_calls bigint,
               input_tokens bigint, output_tokens bigint, cost_usd double precision)
language sql stable
as $$
    select ids.session_id, e.completed, e.failed, l.number, m.number, l.input_tokens, l.output_tokens, l.cost_usd
    from unnest(sessions) as ids (session_id)
    cross join lateral (
        select count(*) filter (where status = 'completed') as completed, count(*) filter (where status = 'failed') as failed
        from (select status, round, max(round) over (order by stage_index) as newest
              from (select distinct on (stage_index) stage_index, status, round from stage_executions x
                    where x.session_id = ids.session_id order by stage_index, attempt desc) attempts) current
        where round = newest
    ) e
    cross join lateral (
        select count(*) as number, sum(i.input_tokens)::bigint as input_tokens, sum(i.output_tokens)::bigint as output_tokens,
               sum(i.cost_usd) as cost_usd
        from llm_interactions i where i.session_id = ids.session_id
    ) l
    cross join lateral (select count(*) as number from mcp_interactions i where i.session_id = ids.session_id) m
$$;
