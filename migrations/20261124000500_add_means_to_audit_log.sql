-- By what means the actor showed who they are (`key`, `forwarded`, `oidc`, `off`, `database`), and
-- with which key. Null in entries of older versions.
alter table audit_log add column means text;
alter table audit_log add column key_id uuid;
