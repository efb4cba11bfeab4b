-- Scores say which configuration the concluding stage had.

-- Empty: no stage has one, or the session was scored by an older version, whose statement leaves the last column out.
alter table session_scores add column configuration text not null default '';

-- The last stage's agent with the first digits of the hash of what it ran under; empty: no stage has one.
create function concluding_configuration(session uuid) returns text
    language sql stable
as $$
    select coalesce((
        -- The column begins with what the stage requires of a worker, if it requires anything.
        select left(substring(x.agent from '[^:]*$'), 100) || ' ' || left(x.configuration_hash, 12)
        from stage_executions x
        where x.session_id = session and x.configuration_hash is not null
        order by x.stage_index desc, x.attempt desc
        limit 1
    ), '')
$$;
