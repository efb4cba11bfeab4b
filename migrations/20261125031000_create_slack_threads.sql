-- The thread of a session in a Slack channel: later messages of the session go there.
create table slack_threads (
    session_id uuid not null references alert_sessions on delete cascade,
    -- Name of the target in the configuration.
    target text not null,
    -- The message that the thread hangs under, as Slack names it.
    thread_ts text not null,
    primary key (session_id, target)
);
