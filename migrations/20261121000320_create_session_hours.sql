-- Sums of past hours, so that the figures of a month are read from some thousand rows and not from all sessions of
-- that month. Chain workers fill it behind the sessions; what it does not hold is read from the sessions.
create table session_hours (
    hour_us bigint not null,
    status session_status not null,
    alert_type text not null,
    sessions bigint not null,
    ended bigint not null,
    duration_ms bigint not null,
    duplicates bigint not null,
    primary key (hour_us, status, alert_type)
);

-- One row: hours that began before rolled_until_us are in session_hours; ends before seen_until_us are in them.
create table session_hours_state (
    single boolean primary key default true check (single),
    rolled_until_us bigint not null default 0,
    seen_until_us bigint not null default 0
);
insert into session_hours_state default values;
