-- The alerts that were counted on a session as its duplicates, the newest hundred of each: a ring, so that a source that
-- repeats itself for days writes the same rows again. The content is the session's own alert, by the fingerprint or the
-- sender's key, and is not kept again. What was counted before this table was there is not in it.
create table session_duplicates (
    session_id uuid not null references alert_sessions on delete cascade,
    -- `(number - 1) % 100`.
    slot smallint not null,
    -- From 1, as `duplicate_count` stood with it.
    number integer not null,
    received_at_us bigint not null default now_us(),
    -- When its sender says it happened.
    alert_timestamp_us bigint,
    severity text not null,
    source text not null,
    author text,
    primary key (session_id, slot)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
