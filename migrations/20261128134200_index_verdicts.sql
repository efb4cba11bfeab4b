-- no-transaction
create index concurrently if not exists alert_sessions_ended_verdict on alert_sessions (verdict, started_at_us desc, session_id desc)
    where completed_at_us is not null;
