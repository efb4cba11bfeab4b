-- The label of its chain that the agent which concluded gave a session: docs/AGENTS.md. Null while it runs, where the chain has no
-- labels, where the agent gave none, and where a worker of an older version ended it.
alter table alert_sessions add column label text;

-- Sessions are filtered by the bare names of agents that give labels. Sessions that are there already have none.
create or replace function traits_of(source text, alert_data jsonb, chain_definition jsonb) returns text[]
    language sql immutable parallel safe
    as $$
    select array_agg(distinct name || '=' || left(value, 200))
    from (
        select 'source' as name, source as value
        union all
        select name, value
        from (select alert_data ->> 'environment' as environment, alert_data ->> 'cluster' as cluster,
                     alert_data ->> 'namespace' as namespace,
                     coalesce(alert_data -> 'labels', alert_data -> 'commonLabels') as labels) said
        cross join lateral (values ('environment', coalesce(environment, labels ->> 'environment')),
                                   ('cluster', coalesce(cluster, labels ->> 'cluster')),
                                   ('namespace', coalesce(namespace, labels ->> 'namespace'))) v (name, value)
        union all
        select 'agent', regexp_replace(stage ->> 'agent', '^((structured|dispatching|labelling|verifying)-agent:)+', '')
        from jsonb_path_query(chain_definition, 'lax $.stages[*]') stage
    ) found
    where value <> ''
$$;

create or replace function stage_event(
    session_id uuid, execution_id uuid, stage_index integer, stage_count integer, stage_name text, agent text,
    attempt integer, branch integer, branch_name text, status stage_status, message text
) returns jsonb
    language sql stable parallel safe
as $$
    select jsonb_build_object(
        'type', 'stage_progress', 'session_id', session_id, 'execution_id', execution_id, 'stage_index', stage_index,
        'stage_count', stage_count, 'stage_name', stage_name,
        'agent', regexp_replace(agent, '^((structured|dispatching|labelling|verifying)-agent:)+', ''), 'attempt', attempt,
        'branch', branch, 'branch_name', branch_name, 'status', status, 'message', message)
$$;
