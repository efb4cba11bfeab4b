-- Sessions that belong together: of alerts about one target at one time, or with one root cause. Chain workers group them a second or two
-- after their start and after their end (docs/decisions/0099-incidents.md). Accepting an alert and ending a session write nothing here.

-- Only sessions that share something with another one have a row.
create table incident_members (
    session_id uuid primary key references alert_sessions on delete cascade,
    incident_id uuid not null,
    started_at_us bigint not null,
    -- What it shares with a neighbour: traits `target=..` and `cause=..` of session_traits.
    keys text[] not null,
    -- Stands for its incident in lists: the first of those that are present.
    is_lead boolean not null default false,
    -- Set while a person has taken it out; it is never grouped again until a person puts it back.
    removed_at_us bigint,
    removed_by text,
    check (not is_lead or removed_at_us is null)
);
create index incident_members_in_time on incident_members (incident_id, started_at_us, session_id) include (removed_at_us);
-- The referee: an incident has one lead.
create unique index incident_members_lead on incident_members (incident_id) where is_lead;
create index incident_members_leads on incident_members (started_at_us, session_id) where is_lead;

-- Sessions that started, and that ended, up to here are grouped. Those of the last day are grouped after the upgrade.
create table incidents_cursor (
    only_one boolean primary key default true check (only_one),
    started_at_us bigint not null,
    completed_at_us bigint not null
);
insert into incidents_cursor (started_at_us, completed_at_us)
values (now_us() - 86400000000, now_us() - 86400000000);

-- What an alert is about: its namespace, or the object that it names, with its cluster. Null: it names neither.
create function incident_target(alert jsonb) returns text
language plpgsql immutable parallel safe as $$
declare
    labels jsonb := coalesce(alert -> 'labels', alert -> 'commonLabels');
    place text := nullif(coalesce(alert ->> 'namespace', labels ->> 'namespace'), '');
begin
    if place is null then
        place := nullif(coalesce(alert ->> 'host', labels ->> 'host', alert ->> 'instance', labels ->> 'instance',
                                 alert ->> 'service', labels ->> 'service', alert ->> 'pod', labels ->> 'pod'), '');
    end if;
    if place is null then
        return null;
    end if;
    return 'target=' || left(concat_ws(' / ', nullif(coalesce(alert ->> 'cluster', labels ->> 'cluster'), ''), place), 200);
end
$$;

-- The names that a checked root cause shares with tool results, with the alert's cluster. Null: there are none.
create function incident_cause(alert jsonb, verdict text, answer_check jsonb) returns text
language plpgsql immutable parallel safe as $$
declare
    names text;
begin
    if verdict is null or verdict not in ('supported', 'partly_supported')
       or coalesce(jsonb_typeof(answer_check -> 'cause_names'), '') <> 'array' then
        return null;
    end if;
    names := (select string_agg(name, ', ' order by name) from jsonb_array_elements_text(answer_check -> 'cause_names') n (name));
    if names is null then
        return null;
    end if;
    return 'cause=' || left(concat_ws(' / ', nullif(coalesce(alert ->> 'cluster', alert -> 'labels' ->> 'cluster',
                                                             alert -> 'commonLabels' ->> 'cluster'), ''), names), 400);
end
$$;

-- Lets the first present member stand for the incident. Plans are kept from when the table was small. Here and below they are told to follow the
-- indexes in their order: otherwise they read the whole storm for each of its sessions.
create function choose_lead(incident uuid) returns void
language plpgsql set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off as $$
declare
    first uuid := (select m.session_id from incident_members m where m.incident_id = incident and m.removed_at_us is null
                   order by m.started_at_us, m.session_id limit 1);
begin
    -- The usual case, whatever the number of members.
    if exists (select from incident_members m where m.session_id = first and m.is_lead) then
        return;
    end if;
    update incident_members set is_lead = false where incident_id = incident and is_lead;
    update incident_members set is_lead = true where session_id = first and not is_lead;
end
$$;

-- Retention deletes the oldest first.
create function replace_lead() returns trigger language plpgsql as $$
begin
    perform choose_lead(old.incident_id);
    return null;
end
$$;
create trigger incident_members_replace_lead after delete on incident_members
    for each row when (old.is_lead) execute function replace_lead();

-- Joins a session with its neighbours in time of the same key. Neighbours alone are enough: those farther away are theirs. So the groups do
-- not depend on the order in which sessions are joined, unless the longest span ends one. Sessions that a person took out join nothing.
create function join_incident(session uuid, key text, at_us bigint, gap_us bigint, longest_us bigint) returns void
language plpgsql set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off as $$
declare
    near record;
    own incident_members;
    other incident_members;
    kept uuid;
    dropped uuid;
    span_us bigint;
begin
    for near in
        (select t.session_id, t.started_at_us
         from session_traits t join alert_sessions s on s.session_id = any(array[t.session_id])
         where t.trait = key and t.started_at_us >= at_us - gap_us and (t.started_at_us, t.session_id) < (at_us, session)
           and (select r.removed_at_us from incident_members r where r.session_id = t.session_id) is null
         order by t.started_at_us desc, t.session_id desc limit 1)
        union all
        (select t.session_id, t.started_at_us
         from session_traits t join alert_sessions s on s.session_id = any(array[t.session_id])
         where t.trait = key and t.started_at_us <= at_us + gap_us and (t.started_at_us, t.session_id) > (at_us, session)
           and (select r.removed_at_us from incident_members r where r.session_id = t.session_id) is null
         order by t.started_at_us, t.session_id limit 1)
    loop
        select * into own from incident_members m where m.session_id = session;
        exit when own.removed_at_us is not null;
        select * into other from incident_members m where m.session_id = near.session_id;
        -- Each by an end of the index.
        span_us := greatest(at_us, near.started_at_us,
                            (select m.started_at_us from incident_members m where m.incident_id = own.incident_id order by m.started_at_us desc limit 1),
                            (select m.started_at_us from incident_members m where m.incident_id = other.incident_id order by m.started_at_us desc limit 1))
                   - least(at_us, near.started_at_us,
                           (select m.started_at_us from incident_members m where m.incident_id = own.incident_id order by m.started_at_us limit 1),
                           (select m.started_at_us from incident_members m where m.incident_id = other.incident_id order by m.started_at_us limit 1));
        continue when span_us > longest_us;
        if own.incident_id is null and other.incident_id is null then
            kept := case when (near.started_at_us, near.session_id) < (at_us, session) then near.session_id else session end;
        elsif own.incident_id is null or other.incident_id is null or own.incident_id = other.incident_id then
            kept := coalesce(own.incident_id, other.incident_id);
        else
            select m.incident_id into kept from incident_members m
            where m.incident_id in (own.incident_id, other.incident_id) order by m.started_at_us, m.session_id limit 1;
            dropped := case when kept = own.incident_id then other.incident_id else own.incident_id end;
            -- Those that a person took out too: they can be put back.
            update incident_members set incident_id = kept, is_lead = false where incident_id = dropped;
        end if;
        insert into incident_members as m (session_id, incident_id, started_at_us, keys)
        values (session, kept, at_us, array[key]), (near.session_id, kept, near.started_at_us, array[key])
        on conflict (session_id) do update set keys = m.keys || excluded.keys where not m.keys @> excluded.keys;
        perform choose_lead(kept);
    end loop;
end
$$;

-- One caller at a time, whatever version it is of: of two, the second finds what the first has grouped.
create function lock_incidents() returns void
language sql as $$ select pg_advisory_xact_lock(1952543242) $$;

-- Groups up to `batch` sessions by their targets, in the order of their starts, and answers how many it looked at.
create function group_started_sessions(batch bigint, settle_us bigint, step_back_us bigint, gap_us bigint, longest_us bigint) returns bigint
language plpgsql as $$
declare
    since bigint;
    reached bigint;
    seen bigint := 0;
    fresh record;
begin
    perform lock_incidents();
    since := (select case when c.started_at_us > now_us() then now_us() - step_back_us else c.started_at_us end from incidents_cursor c);
    for fresh in
        select s.session_id, s.started_at_us,
               case when s.conversation_id is null and s.parent_session_id is null then incident_target(s.alert_data) end as key
        from alert_sessions s
        where s.started_at_us > since and s.started_at_us <= now_us() - settle_us
        order by s.started_at_us fetch first (batch) rows with ties
    loop
        seen := seen + 1;
        reached := fresh.started_at_us;
        perform add_incident_key(fresh.session_id, fresh.key, fresh.started_at_us, gap_us, longest_us);
    end loop;
    update incidents_cursor set started_at_us = coalesce(reached, since) where started_at_us <> coalesce(reached, since);
    return seen;
end
$$;

-- The same by root causes, in the order of their ends.
create function group_ended_sessions(batch bigint, settle_us bigint, step_back_us bigint, gap_us bigint, longest_us bigint) returns bigint
language plpgsql as $$
declare
    since bigint;
    reached bigint;
    seen bigint := 0;
    ended record;
begin
    perform lock_incidents();
    since := (select case when c.completed_at_us > now_us() then now_us() - step_back_us else c.completed_at_us end from incidents_cursor c);
    for ended in
        select s.session_id, s.started_at_us, s.completed_at_us,
               case when s.conversation_id is null and s.parent_session_id is null
                    then incident_cause(s.alert_data, s.verdict, s.verdict_check) end as key
        from alert_sessions s
        where s.completed_at_us > since and s.completed_at_us <= now_us() - settle_us
        order by s.completed_at_us fetch first (batch) rows with ties
    loop
        seen := seen + 1;
        reached := ended.completed_at_us;
        perform add_incident_key(ended.session_id, ended.key, ended.started_at_us, gap_us, longest_us);
    end loop;
    update incidents_cursor set completed_at_us = coalesce(reached, since) where completed_at_us <> coalesce(reached, since);
    return seen;
end
$$;

-- Groups sessions that committed their start or end after the cursor had passed it.
create function group_late_sessions(batch bigint, late_us bigint, target_gap_us bigint, cause_gap_us bigint, longest_us bigint) returns bigint
language plpgsql as $$
declare
    seen bigint := 0;
    late record;
begin
    perform lock_incidents();
    for late in
        (select s.session_id, s.started_at_us, k.key, target_gap_us as gap_us
         from incidents_cursor c
         join alert_sessions s on s.started_at_us > c.started_at_us - late_us and s.started_at_us <= c.started_at_us
         cross join lateral (select incident_target(s.alert_data) as key offset 0) k
         where s.conversation_id is null and s.parent_session_id is null and k.key is not null
           and not exists (select from session_traits t
                           where t.trait = k.key and t.started_at_us = s.started_at_us and t.session_id = s.session_id)
         limit batch)
        union all
        (select s.session_id, s.started_at_us, k.key, cause_gap_us
         from incidents_cursor c
         join alert_sessions s on s.completed_at_us > c.completed_at_us - late_us and s.completed_at_us <= c.completed_at_us
         cross join lateral (select incident_cause(s.alert_data, s.verdict, s.verdict_check) as key offset 0) k
         where s.conversation_id is null and s.parent_session_id is null and k.key is not null
           and not exists (select from session_traits t
                           where t.trait = k.key and t.started_at_us = s.started_at_us and t.session_id = s.session_id)
         limit batch)
    loop
        seen := seen + 1;
        perform add_incident_key(late.session_id, late.key, late.started_at_us, late.gap_us, longest_us);
    end loop;
    return seen;
end
$$;

-- Keeps a key of a session where neighbours are looked up, and joins it with them.
create function add_incident_key(session uuid, key text, at_us bigint, gap_us bigint, longest_us bigint) returns void
language plpgsql as $$
begin
    if key is not null then
        insert into session_traits (trait, started_at_us, session_id) values (key, at_us, session) on conflict do nothing;
        perform join_incident(session, key, at_us, gap_us, longest_us);
    end if;
end
$$;
