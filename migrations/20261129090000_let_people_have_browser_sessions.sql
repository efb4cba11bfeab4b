-- A browser that signed in at the identity provider has no key: its row says who it is and what they may do.
alter table browser_sessions
    alter column key_id drop not null,
    add column name text,
    add column role text,
    add constraint browser_sessions_owner check (
        (key_id is not null and name is null and role is null)
        or (key_id is null and name is not null and role is not null)
    );
