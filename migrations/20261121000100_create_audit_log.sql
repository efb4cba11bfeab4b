-- Who did what to the fleet, and why: written in the transaction that does it, never changed.
create table audit_log (
    entry_id bigint generated always as identity primary key,
    at_us bigint not null default now_us(),
    -- The key or person, and the role they acted under.
    actor text not null,
    role text not null,
    -- What was done, e.g. `session.cancel`, to what.
    action text not null,
    subject_kind text not null,
    subject text not null,
    reason text not null,
    details jsonb not null default '{}'
);
create index audit_log_subject on audit_log (subject, entry_id desc);
create index audit_log_actor on audit_log (actor, entry_id desc);
create index audit_log_action on audit_log (action, entry_id desc);

-- Append-only for whoever the application is, the owner included: the grants are gone, and a
-- trigger refuses what a role above grants would be let do.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
    raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_log_is_append_only before update or delete or truncate on audit_log
    for each statement execute function refuse_audit_change();
alter table audit_log enable always trigger audit_log_is_append_only;
revoke update, delete, truncate on audit_log from public, current_user;
