-- no-transaction
-- The inbox, whatever is asked about. `waits_approvals` stays for older versions, which read by sort.
create index concurrently if not exists waits_asked on waits (wait_id) where role is not null;
