-- What somebody has acknowledged, and what ended and nobody has, is found by an index of its own: the one is empty where
-- nobody acknowledges anything, the other where everything was. session_care stays the truth, and whoever writes it
-- marks the session too.
alter table alert_sessions add column is_seen boolean not null default false;

update alert_sessions set is_seen = true
where session_id in (select session_id from session_care where acknowledged_at_us is not null);

create index alert_sessions_seen on alert_sessions (started_at_us desc, session_id desc)
    include (completed_at_us, alert_type, chain_id, severity, status, outcome)
    where is_seen;

create index alert_sessions_unseen on alert_sessions (started_at_us desc, session_id desc)
    include (completed_at_us, alert_type, chain_id, severity, status, outcome)
    where completed_at_us is not null and not is_seen;

create function mark_seen() returns trigger language plpgsql as $$
begin
    update alert_sessions set is_seen = new.acknowledged_at_us is not null
    where session_id = new.session_id and is_seen <> (new.acknowledged_at_us is not null);
    return null;
end
$$;

create trigger session_care_marks_seen
    after insert or update of acknowledged_at_us on session_care
    for each row execute function mark_seen();
