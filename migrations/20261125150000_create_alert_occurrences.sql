-- The last occurrences of alerts whose chains suppress what is repeated (docs/decisions/0057-suppression.md). A row is locked
-- while an alert of its subject is decided: of two at the same moment one makes the session. Goes with its session.
create table alert_occurrences (
    -- What the alerts are about, whenever they occur: the source and its name of the trouble.
    subject text primary key,
    -- The newest session about it; null only within the transaction that makes the first.
    session_id uuid references alert_sessions on delete cascade,
    -- Key of the last occurrence: who sends it once more tells of no other.
    last_key text,
    -- Times of the last occurrences, oldest first, in Unix microseconds; as many as the chain's rule looks at.
    seen_us bigint[] not null
);

create index alert_occurrences_session on alert_occurrences (session_id);
