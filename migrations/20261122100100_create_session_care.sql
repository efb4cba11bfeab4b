-- What people say of a session: that they have seen it, whose it is, and whether its answer is right. Most sessions have
-- no row: nothing is written when an alert is accepted or a session ends.
create type answer_rating as enum ('right', 'partly_right', 'wrong');

create table session_care (
    session_id uuid primary key references alert_sessions on delete cascade,
    acknowledged_at_us bigint,
    acknowledged_by text,
    assignee text,
    rating answer_rating,
    rated_at_us bigint,
    rated_by text
);
