-- Keys of the API. A key is 256 random bits, so a plain hash keeps it: nobody can guess what it was
-- made of, and checking one costs nothing. The prefix names the key without giving it away.
create table api_keys (
    key_id uuid primary key,
    -- Who uses it: the actor in the audit log, so two live keys don't share one.
    name text not null check (length(name) between 1 and 100),
    role text not null check (role in ('ingest', 'viewer', 'operator', 'admin')),
    prefix text not null unique,
    hash bytea not null check (length(hash) = 32),
    created_at_us bigint not null default now_us(),
    created_by text not null,
    -- From then on it opens nothing; null: never.
    expires_at_us bigint,
    -- A minute old at most; null: never used.
    last_used_at_us bigint,
    revoked_at_us bigint,
    revoked_by text
);
create unique index api_keys_live_name on api_keys (name) where revoked_at_us is null;

-- A socket opened with a key's ticket ends with the key.
alter table ws_tickets add column key_id uuid;
