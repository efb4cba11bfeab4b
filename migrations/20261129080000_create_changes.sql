-- What changed in the systems that alerts come from, as webhooks of type `change` report it (docs/CHANGES-FEED.md).
--
-- Ranges of `change_id`, a UUIDv7 of the time of receipt, a week each: retention drops a partition whose rows have all expired, and chain
-- workers make the next ones (shared/store/src/partitions.rs). A change is never dated more than an hour after its receipt, so that a
-- search by time leaves out the partitions before it.
create table changes (
    change_id uuid primary key,
    happened_at_us bigint not null,
    source text not null,
    external_id text not null,
    kind text not null,
    title text not null,
    service text,
    namespace text,
    cluster text,
    author text,
    revision text,
    link text
) partition by range (change_id);

create index changes_happened on changes (happened_at_us);
create index changes_service on changes (service, happened_at_us) where service is not null;
create index changes_namespace on changes (namespace, happened_at_us) where namespace is not null;

-- Takes what no other partition takes.
create table changes_default partition of changes default;

do $$
declare
    week constant bigint := 7 * 24 * 3600 * 1000::bigint;
    first constant bigint := now_us() / 1000 / week * week;
begin
    execute format('create table changes_%s partition of changes for values from (%L) to (%L)',
        to_char(to_timestamp(first / 1000) at time zone 'utc', 'YYYYMMDD'),
        (lpad(to_hex(first), 12, '0') || repeat('0', 20))::uuid,
        (lpad(to_hex(first + week), 12, '0') || repeat('0', 20))::uuid);
end
$$;

-- Which changes are there: a digest of source and external id. Not part of `changes`, where only what is unique in each partition can be
-- checked; a delivery that is repeated may come a week later.
create table change_keys (
    key uuid primary key,
    change_id uuid not null
);

create index change_keys_change on change_keys (change_id);

-- The changes that the agent of a stage was told of with its first question. Null: none, or it was not asked yet.
alter table stage_executions add column changes jsonb;
