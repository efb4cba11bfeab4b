-- What a program says of an ended session without knowing the truth: evidence, path, gaps and cost, in one narrow row (docs/QUALITY.md). Chain
-- workers write it behind the ends of sessions, the old ones too, oldest first. Questions and sub-agents have none: their calls are another session's.
create table session_scores (
    session_id uuid primary key references alert_sessions on delete cascade,
    completed_at_us bigint not null,
    chain_id text not null,
    -- The model that answered most calls; empty: none did.
    model text not null,
    verdict text not null,
    -- Tools were offered, and no call was sent, by sub-agents neither.
    is_without_call boolean not null,
    -- What the answer names: parts that were looked up, those that results contain, and names that no result contains.
    checked integer not null,
    found integer not null,
    unknown_names integer not null,
    -- Tool calls that were sent, and of those: failed, sent before with the same arguments. Besides: not sent.
    calls integer not null,
    failed_calls integer not null,
    repeated_calls integer not null,
    refused_calls integer not null,
    -- Tool servers with calls of which none succeeded.
    silent_servers integer not null,
    tokens bigint not null,
    cost_usd double precision not null
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

create index session_scores_by_end on session_scores (completed_at_us);

-- Ends up to here are scored.
create table session_scores_cursor (
    only_one boolean primary key default true check (only_one),
    completed_at_us bigint not null default 0
);
insert into session_scores_cursor default values;

-- A count out of a document; anything else counts as none.
create function count_in(document jsonb, name text) returns integer
    language sql immutable parallel safe
as $$
    select case when jsonb_typeof(document -> name) = 'number' then least(greatest((document ->> name)::numeric, 0), 1000000)::integer
                when jsonb_typeof(document -> name) = 'array' then jsonb_array_length(document -> name)
                else 0 end
$$;

-- Scores of these sessions, as far as they have ended.
create function scores_of(sessions uuid[])
returns table (session_id uuid, completed_at_us bigint, chain_id text, model text, verdict text, is_without_call boolean, checked integer,
               found integer, unknown_names integer, calls integer, failed_calls integer, repeated_calls integer, refused_calls integer,
               silent_servers integer, tokens bigint, cost_usd double precision)
language sql stable
as $$
    select s.session_id, s.completed_at_us, s.chain_id, coalesce(m.model, ''), coalesce(s.verdict, 'not_checked'),
           coalesce(s.verdict_check -> 'tools_offered' = 'true', false) and c.sent = 0 and count_in(s.verdict_check, 'calls') = 0,
           count_in(s.verdict_check, 'checked'), count_in(s.verdict_check, 'found'), count_in(s.verdict_check, 'unknown_names'),
           c.sent, c.failed, c.repeated, c.refused, c.silent, coalesce(m.tokens, 0), coalesce(m.cost_usd, 0)
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
    where s.completed_at_us is not null and s.parent_session_id is null
$$;
