-- The domain's tables: sessions, stage executions, interactions, events, runbook cache.
--
-- Times that people and the API see are Unix microseconds (seed 002) by this server's
-- clock; scheduling uses timestamptz. Statuses are enums with the words of docs/STATES.md.

create function now_us() returns bigint
    language sql stable parallel safe
    return (extract(epoch from clock_timestamp()) * 1000000)::bigint;

create type session_status as enum ('pending', 'in_progress', 'completed', 'failed', 'cancelled');
create type session_outcome as enum ('completed', 'partial', 'failed');
create type stage_status as enum ('pending', 'active', 'completed', 'failed', 'cancelled');

-- One accepted alert and its chain.
create table alert_sessions (
    session_id uuid primary key,
    alert_id uuid not null unique,
    alert_type text not null,
    agent_type text not null generated always as ('chain:' || chain_id) stored,
    alert_data jsonb not null,
    severity text not null,
    alert_timestamp_us bigint not null,
    -- Where it came from: api, alertmanager, ...; and who sent it.
    source text not null,
    author text,
    -- Same fingerprint while a session lives: a duplicate, counted here.
    fingerprint text not null,
    duplicate_count integer not null default 0,
    idempotency_key text unique,
    -- Set when the source told us that the alert has resolved.
    resolved_at_us bigint,
    status session_status not null default 'pending',
    outcome session_outcome,
    started_at_us bigint not null default now_us(),
    completed_at_us bigint,
    error_message text,
    final_analysis text,
    session_metadata jsonb,
    chain_id text not null,
    -- The chain as it was when the alert was accepted; a changed configuration never changes a running session.
    chain_definition jsonb not null,
    current_stage_index integer,
    current_stage_id text,
    runbook_url text,
    runbook_content text,
    runbook_error text,
    -- W3C trace context of the request that brought the alert.
    traceparent text
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- The referee of duplicates: one live session per fingerprint.
create unique index alert_sessions_live_fingerprint
    on alert_sessions (fingerprint) where status in ('pending', 'in_progress');
create index alert_sessions_recent on alert_sessions (started_at_us desc, session_id desc);
create index alert_sessions_live on alert_sessions (started_at_us) where status in ('pending', 'in_progress');

-- One attempt of one stage. A replay adds attempts and rewrites nothing.
create table stage_executions (
    execution_id uuid primary key,
    session_id uuid not null references alert_sessions on delete cascade,
    stage_id text not null generated always as (stage_name || '_' || stage_index) stored,
    stage_index integer not null,
    stage_name text not null,
    agent text not null,
    iteration_strategy text,
    llm_provider text,
    pool text not null,
    attempt integer not null default 1,
    -- Rises with each replay of the session; an attempt of an older round than its predecessor's is superseded.
    round integer not null default 0,
    status stage_status not null default 'pending',
    timeout_ms bigint not null,
    -- Set when the stage first begins, so that a crash does not renew it.
    deadline_at timestamptz,
    claim_owner uuid,
    claim_epoch bigint,
    crash_count integer not null default 0,
    created_at_us bigint not null default now_us(),
    started_at_us bigint,
    completed_at_us bigint,
    duration_ms bigint generated always as ((completed_at_us - started_at_us) / 1000) stored,
    stage_output jsonb,
    error_message text,
    error_class text,
    iterations integer,
    input_tokens bigint,
    output_tokens bigint,
    cost_usd double precision,
    cost_completeness text,
    unique (session_id, stage_index, attempt)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Stages that a job must point to; the sweeper checks them.
create index stage_executions_live on stage_executions (session_id) where status in ('pending', 'active');

-- Interactions are written twice: the intent before the call, the result after it.
-- A row with success null is a call whose outcome is unknown.
create table llm_interactions (
    interaction_id uuid primary key,
    session_id uuid not null references alert_sessions on delete cascade,
    stage_execution_id uuid not null references stage_executions on delete cascade,
    sequence integer not null,
    iteration integer not null,
    purpose text not null,
    timestamp_us bigint not null default now_us(),
    duration_ms bigint,
    provider text not null,
    model_name text not null,
    temperature double precision,
    -- Messages that no earlier interaction of the stage holds; the conversation is their concatenation.
    new_messages jsonb not null,
    response_text text,
    thinking text,
    tool_calls jsonb,
    input_tokens bigint,
    output_tokens bigint,
    cached_tokens bigint,
    reasoning_tokens bigint,
    cost_usd double precision,
    answered_by text,
    -- All attempts behind the call, fallbacks included, when there was more than one.
    attempts jsonb,
    success boolean,
    error_class text,
    error_message text,
    step_description text not null,
    claim_epoch bigint not null,
    unique (stage_execution_id, sequence)
);

create table mcp_interactions (
    interaction_id uuid primary key,
    session_id uuid not null references alert_sessions on delete cascade,
    stage_execution_id uuid not null references stage_executions on delete cascade,
    sequence integer not null,
    iteration integer not null,
    timestamp_us bigint not null default now_us(),
    duration_ms bigint,
    server_name text not null,
    communication_type text not null,
    tool_name text,
    tool_arguments jsonb,
    tool_call_id text,
    tool_result jsonb,
    available_tools jsonb,
    effect text not null,
    success boolean,
    refused boolean not null default false,
    truncated boolean not null default false,
    masked_kinds jsonb,
    error_message text,
    step_description text not null,
    claim_epoch bigint not null,
    unique (stage_execution_id, sequence)
);
create index llm_interactions_session on llm_interactions (session_id);
create index mcp_interactions_session on mcp_interactions (session_id);

-- What sockets are told. Written in the transaction that makes it true, pruned by age;
-- which channels hear an event follows from its kind.
create table events (
    id bigint generated always as identity primary key,
    session_id uuid,
    kind text not null,
    payload jsonb not null,
    created_at timestamptz not null default now()
);
create index events_session on events (session_id, id) where session_id is not null;
create index events_created on events (created_at);

-- Runbooks by URL, revalidated by their ETag.
create table runbook_cache (
    url text primary key,
    etag text not null,
    content text not null,
    fetched_at timestamptz not null default now()
);
