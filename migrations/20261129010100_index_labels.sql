-- no-transaction
create index concurrently if not exists alert_sessions_ended_label on alert_sessions (label, started_at_us desc, session_id desc)
    where completed_at_us is not null and label is not null;
