-- A crash is counted with the process that had the job, so that one that was taken for dead and comes back takes
-- it back; and apart when the job ran alone, for only then it says something of the job
-- (docs/decisions/0012-a-crash-counts-for-a-stage-that-ran-alone.md). No index names these columns: renewals and
-- claims stay as cheap as they were.
alter table jobs
    -- Processes whose loss is counted in `crashes`.
    add column crashed_by uuid[],
    -- Those among them in which the job ran alone while no other process was lost.
    add column crashed_alone_by uuid[],
    -- Epoch of the claim under which the job runs alone in its worker.
    add column isolated_epoch bigint;

-- New with every start of a process; its direct sessions carry it in their application_name. Several workers may
-- share a process. Workers of an older version have none.
alter table workers add column process_id uuid;

-- Processes whose jobs were taken away because they seemed dead or did not renew their leases. A process that comes
-- back takes its row, and with it the crashes that were counted; the others go after an hour.
create table lost_processes (
    process_id uuid primary key,
    lost_at timestamptz not null default clock_timestamp(),
    -- What it held.
    jobs uuid[] not null
);
