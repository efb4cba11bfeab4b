-- What the history API needs to answer in milliseconds at a million sessions, without making
-- the acceptance of an alert dearer: most of it is written when a session ends, or by the
-- chain workers' housekeeping.

-- Filters and sorts over ended sessions. Those that have not ended are few (the backlog limit)
-- and found through alert_sessions_live. The predicate is the filter that the API writes.
create index alert_sessions_ended_type on alert_sessions (alert_type, started_at_us desc, session_id desc)
    where completed_at_us is not null;
create index alert_sessions_ended_chain on alert_sessions (chain_id, started_at_us desc, session_id desc)
    where completed_at_us is not null;
create index alert_sessions_ended_severity on alert_sessions (severity, started_at_us desc, session_id desc)
    where completed_at_us is not null;
create index alert_sessions_ended_status on alert_sessions (status, started_at_us desc, session_id desc)
    where completed_at_us is not null;
create index alert_sessions_ended_outcome on alert_sessions (outcome, started_at_us desc, session_id desc)
    where completed_at_us is not null;
create index alert_sessions_completed on alert_sessions (completed_at_us desc, session_id desc)
    where completed_at_us is not null;
create index alert_sessions_duration on alert_sessions ((completed_at_us - started_at_us) desc, session_id desc)
    where completed_at_us is not null;


-- Trigrams of alert, errors and analysis. An index like that costs more than the whole
-- acceptance of an alert, so it stands on a table of its own, filled behind the sessions.
-- pg_trgm is a trusted extension: the owner of the database may create it.
create extension if not exists pg_trgm;

create table session_search (
    session_id uuid primary key references alert_sessions on delete cascade,
    started_at_us bigint not null,
    -- The end that the document knows of; a session that ends (again) is read again.
    completed_at_us bigint,
    -- Lower case, at most 64 KB.
    document text not null
);
create index session_search_recent on session_search (started_at_us desc, session_id desc);
create index session_search_completed on session_search (completed_at_us) where completed_at_us is not null;
create index session_search_document on session_search using gin (document gin_trgm_ops) with (fastupdate = on);
