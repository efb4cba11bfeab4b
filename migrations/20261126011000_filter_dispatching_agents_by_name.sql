-- Sessions are filtered by the bare names of agents whose stages list sub-agents. Sessions that are there already have none.
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
        select 'agent', regexp_replace(stage ->> 'agent', '^(structured-agent:)?(dispatching-agent:)?', '')
        from jsonb_path_query(chain_definition, 'lax $.stages[*]') stage
    ) found
    where value <> ''
$$;
