-- A browser that signed in with an API key: a cookie whose SHA-256 stands here. It opens what its key
-- opens, and ends with it.
create table browser_sessions (
    browser_session_id uuid primary key,
    key_id uuid not null references api_keys on delete cascade,
    hash bytea not null check (length(hash) = 32),
    created_at_us bigint not null default now_us(),
    expires_at_us bigint not null
);
create index browser_sessions_of_key on browser_sessions (key_id, created_at_us);
create index browser_sessions_expiry on browser_sessions (expires_at_us);
