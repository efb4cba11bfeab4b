-- A job names what it needs of the configuration of whoever runs it, e.g. {agent:Q,provider:P}; null: nothing. A worker
-- names what it offers; null: everything. Workers of an older version know neither, claim anything and make jobs that
-- require nothing.
alter table jobs add column requires text[];
alter table workers add column offers text[];

-- Work that is ready and that no worker can run, by what it needs: since when, and why.
-- Kept by the sweep that ends what has waited for too long.
create table unschedulable (
    id bigint generated always as identity primary key,
    queue text not null,
    requires text[] not null,
    -- What no worker of the queue offers.
    missing text[] not null,
    -- Whether the queue has workers at all.
    has_worker boolean not null,
    since timestamptz not null default clock_timestamp(),
    seen_at timestamptz not null default clock_timestamp(),
    unique (queue, requires)
);

-- What a stage's job requires; tarsy_model::stage_requires says the same.
create function stage_requires(agent text, llm_provider text) returns text[]
    language sql immutable parallel safe
    return array_remove(array['agent:' || agent, 'provider:' || llm_provider], null);

-- Time that a stage was made to wait by rate limits, all snoozes together.
alter table stage_executions add column snoozed_ms bigint not null default 0;
