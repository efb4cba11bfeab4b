-- An alert type mostly has one chain and one severity. Asked for with another, the index of either alone was read to its
-- end to find nothing (a third of a second at a million sessions). Written when a session ends, as the others are.
create index alert_sessions_ended_type_chain on alert_sessions (alert_type, chain_id, started_at_us desc, session_id desc)
    include (severity, status, outcome) where completed_at_us is not null;
create index alert_sessions_ended_type_severity on alert_sessions (alert_type, severity, started_at_us desc, session_id desc)
    include (chain_id, status, outcome) where completed_at_us is not null;
