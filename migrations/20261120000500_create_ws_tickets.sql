-- One-time tickets that open a WebSocket: a browser can't send a header with the upgrade, and a
-- key in a URL ends up in logs. Only the hash is kept; a row goes when it is used or a minute old.
create table ws_tickets (
    hash bytea primary key,
    -- Who asked for it, and what they may see.
    user_name text not null,
    role text not null,
    expires_at timestamptz not null
);
create index ws_tickets_expiry on ws_tickets (expires_at);
