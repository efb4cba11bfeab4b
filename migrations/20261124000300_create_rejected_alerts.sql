-- Alerts that were not accepted, so that "why did my alert not show up?" has an answer. One row is
-- one request; a webhook names each of its alerts that was rejected.
create table rejected_alerts (
    -- UUIDv7: the primary key lists them by time.
    rejection_id uuid primary key,
    received_at_us bigint not null default now_us(),
    -- A configured webhook source, `alerts` for POST /alerts, or `unknown`.
    source text not null,
    -- Whether its sender had shown who it is; others are kept shorter and fewer.
    is_proven boolean not null,
    -- As it was sent, cut to 200 characters.
    path text not null,
    -- Code, status and text of the problem that was answered.
    code text not null,
    status integer not null,
    detail text not null,
    -- `[{"fingerprint", "code", "detail"}]` of a webhook's alerts that were rejected.
    alerts jsonb not null,
    author text,
    content_type text not null,
    -- Of the sender's headers, those that identify the delivery; never credentials.
    headers jsonb not null,
    -- Masked and cut.
    body text not null,
    -- Bytes that came in; null if they were not read.
    body_bytes bigint,
    -- Whether `body` is what was sent, to the last byte.
    is_whole boolean not null,
    -- When and by whom it was submitted again.
    submitted_at_us bigint,
    submitted_by text
);

-- For the bound on rows of a source.
create index rejected_alerts_source on rejected_alerts (source, is_proven, rejection_id);
