-- no-transaction
-- As before, those that are open. `waits_open_approvals` stays for older versions.
create index concurrently if not exists waits_asked_open on waits (wait_id) where decision is null and role is not null;
