-- Two filters together are answered by the index of one of them, without a look at the rows: each index carries what
-- else can be filtered by. They are written when a session ends, and never while an alert is accepted.
drop index alert_sessions_ended_type, alert_sessions_ended_chain, alert_sessions_ended_severity,
    alert_sessions_ended_status, alert_sessions_ended_outcome, alert_sessions_completed, alert_sessions_duration;

create index alert_sessions_ended_type on alert_sessions (alert_type, started_at_us desc, session_id desc)
    include (chain_id, severity, status, outcome) where completed_at_us is not null;
create index alert_sessions_ended_chain on alert_sessions (chain_id, started_at_us desc, session_id desc)
    include (alert_type, severity, status, outcome) where completed_at_us is not null;
create index alert_sessions_ended_severity on alert_sessions (severity, started_at_us desc, session_id desc)
    include (alert_type, chain_id, status, outcome) where completed_at_us is not null;
create index alert_sessions_ended_status on alert_sessions (status, started_at_us desc, session_id desc)
    include (alert_type, chain_id, severity, outcome) where completed_at_us is not null;
create index alert_sessions_ended_outcome on alert_sessions (outcome, started_at_us desc, session_id desc)
    include (alert_type, chain_id, severity, status) where completed_at_us is not null;
create index alert_sessions_completed on alert_sessions (completed_at_us desc, session_id desc)
    include (started_at_us, alert_type, chain_id, severity, status, outcome) where completed_at_us is not null;
-- An expression is read from an index only where its columns are there too.
create index alert_sessions_duration on alert_sessions ((completed_at_us - started_at_us) desc, session_id desc)
    include (started_at_us, completed_at_us, alert_type, chain_id, severity, status, outcome)
    where completed_at_us is not null;
