-- What an alert says of itself that lists are filtered by: where it comes from, its environment and cluster, and the
-- agents of its chain. An index over the sessions would be written with each accepted alert; this table is filled by
-- chain workers a second or two behind (docs/decisions/0015-traits-behind-the-starts.md).

-- `name=value`, the one definition of a trait: for the rows of session_traits, and for sessions that are too young to
-- have any. A value that is no plain text or number is none.
create function traits_of(source text, alert_data jsonb, chain_definition jsonb) returns text[]
    language sql immutable parallel safe
    as $$
    select array_agg(distinct name || '=' || left(value, 200))
    from (
        select 'source' as name, source as value
        union all
        select name, value
        from (select alert_data ->> 'environment' as environment, alert_data ->> 'cluster' as cluster,
                     coalesce(alert_data -> 'labels', alert_data -> 'commonLabels') as labels) said
        cross join lateral (values ('environment', coalesce(environment, labels ->> 'environment')),
                                   ('cluster', coalesce(cluster, labels ->> 'cluster'))) v (name, value)
        union all
        select 'agent', stage ->> 'agent' from jsonb_path_query(chain_definition, 'lax $.stages[*]') stage
    ) found
    where value <> ''
$$;

-- No foreign key: its check would lock each row while the session is worked on. Retention deletes what is left over.
create table session_traits (
    trait text not null,
    started_at_us bigint not null,
    session_id uuid not null,
    primary key (trait, started_at_us, session_id)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Sessions that started up to here have their traits.
create table session_traits_cursor (
    only_one boolean primary key default true check (only_one),
    started_at_us bigint not null default 0
);
insert into session_traits_cursor default values;

-- Only sessions that somebody has taken or rated have a row there.
create index session_care_assignee on session_care (assignee, session_id) where assignee is not null;
create index session_care_rating on session_care (rating, session_id) where rating is not null;
