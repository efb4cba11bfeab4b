-- The queue: claims on work that the domain's rows already show (docs/decisions/0001-queue.md).
-- `jobs` is hot and stays small: ids and scheduling facts only, a row goes when its job is done.

create type job_state as enum ('ready', 'scheduled', 'running');
create type dead_reason as enum ('exhausted', 'cancelled', 'undecodable');

create table jobs (
    id uuid primary key,
    queue text not null,
    kind text not null,
    -- What the job is about: a session or a stage execution. Not a foreign key: the queue knows no domain table.
    subject uuid not null,
    -- At most one live job per key; the key is free again when the job ends.
    unique_key text,
    payload jsonb not null,
    priority smallint not null,
    state job_state not null,
    run_at timestamptz not null,
    -- When the job was due, minus its priority's head start: priority first, yet the oldest never starves.
    rank timestamptz not null,
    attempts integer not null default 0,
    max_attempts integer not null,
    crashes integer not null default 0,
    snoozes integer not null default 0,
    owner uuid,
    -- Rises with every claim and every takeover, never falls: with the owner, the fence of every write under a claim.
    epoch bigint not null default 0,
    expires_at timestamptz,
    cancel_requested boolean not null default false,
    last_error text,
    traceparent text,
    created_at timestamptz not null default clock_timestamp(),
    constraint jobs_held_while_running check (
        (state = 'running') = (owner is not null) and (state = 'running') = (expires_at is not null)
    )
) with (
    -- Room for the renewals of a running job on its own page (HOT: no index names expires_at),
    -- and vacuum that keeps up with rows that live for milliseconds.
    fillfactor = 70,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_threshold = 5000,
    autovacuum_analyze_scale_factor = 0.2
);

-- One index answers a claim: a queue's ready jobs in the order they are due.
create index jobs_ready on jobs (queue, rank, id) where state = 'ready';
create index jobs_scheduled on jobs (run_at) where state = 'scheduled';
-- Cancelling and repairing look for the jobs of a session or stage.
create index jobs_subject on jobs (subject);
create index jobs_owner on jobs (owner) where owner is not null;
create unique index jobs_unique_key on jobs (unique_key) where unique_key is not null;

-- Jobs that will not run again by themselves: exhausted, cancelled by their handler, or impossible to decode.
create table dead_jobs (
    id uuid primary key,
    queue text not null,
    kind text not null,
    subject uuid not null,
    unique_key text,
    payload jsonb not null,
    priority smallint not null,
    attempts integer not null,
    max_attempts integer not null,
    crashes integer not null,
    snoozes integer not null,
    epoch bigint not null,
    traceparent text,
    created_at timestamptz not null,
    reason dead_reason not null,
    error text not null,
    died_at timestamptz not null default clock_timestamp()
);
create index dead_jobs_died_at on dead_jobs (died_at desc, id);

-- A row per queue that was ever paused; the pause outlives every process.
create table queue_state (
    queue text primary key,
    paused_at timestamptz,
    paused_by text,
    reason text
);

-- One row per live worker process; `id` is new with every start. A session-level advisory lock on
-- `lock_key` shows that the process lives; the lease of its claims, that it works.
create table workers (
    id uuid primary key,
    role text not null,
    host text not null,
    pid integer not null,
    version text not null,
    queues text[] not null,
    slots integer not null,
    lock_key bigint not null,
    started_at timestamptz not null default clock_timestamp(),
    heartbeat_at timestamptz not null default clock_timestamp(),
    draining boolean not null default false,
    drain_requested boolean not null default false
) with (fillfactor = 50);
