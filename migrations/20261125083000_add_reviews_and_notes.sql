-- Whether somebody has reviewed a session, and what was wrong with an answer that was rated so.
alter table session_care add column reviewed_at_us bigint;
alter table session_care add column reviewed_by text;
alter table session_care add column faults text[];

-- What people write about a session: notes, and actions that they took.
create table session_notes (
    note_id uuid primary key,
    session_id uuid not null references alert_sessions on delete cascade,
    kind text not null check (kind in ('note', 'action')),
    text text not null check (length(text) between 1 and 4000),
    author text not null,
    created_at_us bigint not null default now_us()
);
create index session_notes_of_session on session_notes (session_id, created_at_us);
