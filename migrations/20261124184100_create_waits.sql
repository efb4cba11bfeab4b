-- What stages wait for, and who decided.

-- A stage that waits has not ended.
alter table stage_executions drop constraint stage_executions_end;
alter table stage_executions add constraint stage_executions_end
    check ((completed_at_us is null) = (status in ('pending', 'active', 'waiting'))) not valid;

create type wait_sort as enum ('approval', 'timer', 'signal', 'tool_call');
create type wait_decision as enum ('approved', 'denied', 'signalled', 'elapsed', 'expired', 'cancelled');

create table waits (
    wait_id uuid primary key,
    session_id uuid not null,
    execution_id uuid not null references stage_executions on delete cascade,
    sort wait_sort not null,
    -- What is asked, in a sentence. Masked.
    question text not null,
    -- The role that may decide; null where no person decides.
    role text check (role in ('operator', 'admin')),
    -- The signal that is waited for.
    signal text,
    -- The tool call that is asked about: server, tool, arguments (masked), effect, thought, sequence.
    call jsonb,
    asked_at_us bigint not null default now_us(),
    expires_at timestamptz not null,
    decision wait_decision,
    decided_at_us bigint,
    decided_by text,
    decided_role text,
    -- By what means the decider showed who he is, as in audit_log.
    means text,
    key_id uuid,
    reason text,
    check ((decision is null) = (decided_at_us is null)),
    check ((sort = 'signal') = (signal is not null)),
    check ((sort = 'tool_call') = (call is not null)),
    check ((sort in ('approval', 'tool_call')) = (role is not null))
);

-- A stage waits for one thing at a time.
create unique index waits_open on waits (execution_id) where decision is null;
create index waits_execution on waits (execution_id);
create index waits_session on waits (session_id, wait_id);
-- The inbox: ids rise with time.
create index waits_open_approvals on waits (wait_id) where decision is null and sort in ('approval', 'tool_call');
create index waits_approvals on waits (wait_id) where sort in ('approval', 'tool_call');

-- A message that says that a session waits names the wait.
alter table webhook_deliveries add column wait_id uuid;
create unique index webhook_deliveries_wait on webhook_deliveries (wait_id, target) where wait_id is not null;
