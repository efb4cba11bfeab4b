-- A row has ended if and only if it has an end: what is found by its id is asked for its end, not for its status.
-- A planner that believes that nothing is live (on a new database, or after a quiet night) takes a partial index over
-- live rows for a cheap way to one row, and reads a whole backlog for it.
alter table alert_sessions add constraint alert_sessions_end
    check ((completed_at_us is null) = (status in ('pending', 'in_progress'))) not valid;
alter table stage_executions add constraint stage_executions_end
    check ((completed_at_us is null) = (status in ('pending', 'active'))) not valid;

-- Stages of a session are found by the unique key that begins with it.
drop index stage_executions_live;

-- How far search has read. Rows that commit later than others of their time are looked for behind it.
create table search_cursor (
    only_one boolean primary key default true check (only_one),
    started_at_us bigint not null default 0,
    completed_at_us bigint not null default 0
);
insert into search_cursor (started_at_us, completed_at_us)
select coalesce(max(started_at_us), 0), coalesce(max(completed_at_us), 0) from session_search;

-- With the key in the index, what search knows is told without a look at the documents.
drop index session_search_completed;
create index session_search_completed on session_search (completed_at_us, session_id)
    where completed_at_us is not null;

-- What is searched of sessions: alert, errors, analysis.
create function search_documents(sessions uuid[])
returns table (session_id uuid, started_at_us bigint, completed_at_us bigint, document text)
language sql stable
as $$
    select s.session_id, s.started_at_us, s.completed_at_us,
           left(fold_case(concat_ws(E'\n', s.session_id, s.alert_type, s.severity, s.alert_data,
                                    s.error_message, s.final_analysis, s.runbook_error, e.errors)), 65536)
    from alert_sessions s
    cross join lateral (
        select string_agg(error_message, E'\n') as errors from stage_executions x where x.session_id = s.session_id
    ) e
    where s.session_id = any(sessions)
    order by s.session_id
$$;
