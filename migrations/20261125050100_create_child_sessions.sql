-- Child sessions: what an agent dispatched to a sub-agent, as a session of chain `sub-agent`.
--
-- A table of its own: sessions without children pay nothing for it.
create table child_sessions (
    session_id uuid primary key references alert_sessions on delete cascade,
    -- The stage whose agent dispatched it.
    parent_execution_id uuid not null references stage_executions on delete cascade,
    -- The call that dispatched it: a call that is made again after a crash finds its child.
    interaction_id uuid not null unique,
    agent text not null,
    -- What it is to do. Masked.
    task text not null,
    -- 1: dispatched by a stage of an alert's session or of a question.
    depth integer not null check (depth > 0)
);

create index child_sessions_parent on child_sessions (parent_execution_id);
