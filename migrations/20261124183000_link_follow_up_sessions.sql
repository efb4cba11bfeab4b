-- Follow-up questions: a session of chain `follow-up` about an ended one.
--
-- `conversation_id` is the session that is asked about; all its questions share it. `parent_session_id` is the session
-- that this one was made for, and whose end it shares: deleted with it. Both are null for alerts.
alter table alert_sessions
    add column conversation_id uuid,
    add column parent_session_id uuid references alert_sessions on delete cascade;

create index alert_sessions_conversation on alert_sessions (conversation_id, started_at_us, session_id)
    where conversation_id is not null;
-- For the cascade.
create index alert_sessions_children on alert_sessions (parent_session_id) where parent_session_id is not null;
