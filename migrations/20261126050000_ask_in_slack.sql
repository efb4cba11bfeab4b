-- Hints that a Slack app has given: each is given once. Rows of the last week.
create table slack_hints (
    -- Name of the target in the configuration.
    target text not null,
    -- The event, or the user and thread, that it was given for.
    given_for text not null,
    given_at timestamptz not null default now(),
    primary key (target, given_for)
);
