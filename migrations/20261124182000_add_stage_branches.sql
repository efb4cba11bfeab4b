-- Branches of a stage: rows that run side by side. All columns have constant defaults, so no row is rewritten, and workers of the
-- version before insert rows without them: those are the one branch of a stage without branches.
--
-- The unique key (session_id, stage_index, attempt) stays: attempts count the runs of a stage over all its branches
-- (docs/decisions/0023-branches.md). Nothing is to be contracted later.
alter table stage_executions
    add column branch integer not null default 0,
    add column branch_count integer not null default 1,
    add column branch_name text,
    add column branch_item jsonb,
    add column configuration_hash text;

-- What stages ran under, each once: agent, prompt, limits, tools, provider and model.
create table stage_configurations (
    configuration_hash text primary key,
    configuration jsonb not null,
    first_used_at_us bigint not null default now_us()
);

-- The current rows of a session: of each branch the highest attempt, of the branches that the last run of the stage had.
-- tarsy_chain::retain_current says the same.
create function current_stages(session uuid) returns setof stage_executions
    language sql stable
as $$
    select e.* from stage_executions e
    where e.session_id = session
      and e.branch < (select l.branch_count from stage_executions l
                      where l.session_id = session and l.stage_index = e.stage_index order by l.attempt desc limit 1)
      and not exists (select from stage_executions l
                      where l.session_id = session and l.stage_index = e.stage_index and l.branch = e.branch
                        and l.attempt > e.attempt)
$$;
