-- Most alerts name no key, and each left an entry for nothing in the index of keys.
create unique index alert_sessions_idempotency_key on alert_sessions (idempotency_key) where idempotency_key is not null;
alter table alert_sessions drop constraint alert_sessions_idempotency_key_key;
