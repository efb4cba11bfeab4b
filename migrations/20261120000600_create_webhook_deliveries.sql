-- What is told to others when a session ends: one row for each target, in the transaction that
-- ends the session; a job of the queue `webhook` carries it out.
create type delivery_state as enum ('pending', 'delivered', 'failed');

create table webhook_deliveries (
    delivery_id uuid primary key,
    session_id uuid not null references alert_sessions on delete cascade,
    -- Name of the target in the configuration.
    target text not null,
    -- `session.completed`, `session.failed` or `session.cancelled`.
    event text not null,
    state delivery_state not null default 'pending',
    attempts integer not null default 0,
    created_at_us bigint not null default now_us(),
    last_attempt_at_us bigint,
    delivered_at_us bigint,
    response_status integer,
    -- Why the last attempt failed; never what the receiver answered.
    error text
) with (fillfactor = 80);

-- Ids are UUIDv7: the primary key lists them by time.
create index webhook_deliveries_session on webhook_deliveries (session_id);

-- A webhook as it came in, byte for byte, before anybody understood it.
create table webhook_requests (
    session_id uuid primary key references alert_sessions on delete cascade,
    received_at_us bigint not null default now_us(),
    content_type text not null,
    -- Of the sender's headers, those that identify the delivery; never credentials.
    headers jsonb not null,
    body bytea not null
);
