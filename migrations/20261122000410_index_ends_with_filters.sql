-- A list of few matches that is sorted by end or duration reads what it sorts by from the filters' indexes. They had
-- not the end, and each match, up to 2,000 of them, was a row from somewhere on the disk. No index more than before:
-- an entry of each is 8 bytes longer. Writes of sessions wait while they are built, some seconds each at a million.
drop index alert_sessions_ended_type, alert_sessions_ended_chain, alert_sessions_ended_severity,
    alert_sessions_ended_status, alert_sessions_ended_outcome, alert_sessions_ended_type_chain,
    alert_sessions_ended_type_severity;

create index alert_sessions_ended_type on alert_sessions (alert_type, started_at_us desc, session_id desc)
    include (completed_at_us, chain_id, severity, status, outcome) where completed_at_us is not null;
create index alert_sessions_ended_chain on alert_sessions (chain_id, started_at_us desc, session_id desc)
    include (completed_at_us, alert_type, severity, status, outcome) where completed_at_us is not null;
create index alert_sessions_ended_severity on alert_sessions (severity, started_at_us desc, session_id desc)
    include (completed_at_us, alert_type, chain_id, status, outcome) where completed_at_us is not null;
create index alert_sessions_ended_status on alert_sessions (status, started_at_us desc, session_id desc)
    include (completed_at_us, alert_type, chain_id, severity, outcome) where completed_at_us is not null;
create index alert_sessions_ended_outcome on alert_sessions (outcome, started_at_us desc, session_id desc)
    include (completed_at_us, alert_type, chain_id, severity, status) where completed_at_us is not null;
create index alert_sessions_ended_type_chain on alert_sessions (alert_type, chain_id, started_at_us desc, session_id desc)
    include (completed_at_us, severity, status, outcome) where completed_at_us is not null;
create index alert_sessions_ended_type_severity on alert_sessions (alert_type, severity, started_at_us desc, session_id desc)
    include (completed_at_us, chain_id, status, outcome) where completed_at_us is not null;

-- The same for a list that is narrowed by its dates alone. Written when an alert is accepted, as it was.
drop index alert_sessions_recent;
create index alert_sessions_recent on alert_sessions (started_at_us desc, session_id desc) include (completed_at_us);
