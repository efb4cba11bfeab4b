-- One definition of why work stands still, for the rows of lists, their filter and its counts.

-- Each job, and why it does not run; `reason` is null while a worker runs it.
create view job_waits as
select j.id, j.subject, j.queue, j.state, j.run_at, j.created_at, j.attempts, j.max_attempts, j.snoozes, j.crashes, j.last_error,
       q.paused_at, u.since as missing_since, k.host, k.pid, k.heartbeat_at,
       case
           when j.state = 'running' and k.heartbeat_at < clock_timestamp() - make_interval(secs => 15) then 'worker_not_answering'
           when j.state = 'running' then null
           when q.paused_at is not null then 'queue_paused'
           -- Not asked for each job: the queues are read once. By an index, here and below, because the planner prices
           -- lists without scans of whole tables.
           when u.since is not null or j.queue not in (
               select unnest(w.queues) from workers w
               where w.id >= '00000000-0000-0000-0000-000000000000'
                 and not w.draining and not w.drain_requested and w.heartbeat_at >= clock_timestamp() - make_interval(secs => 15)
           ) then 'no_worker'
           when j.state = 'ready' then 'queued'
           when j.attempts > 0 then 'retrying'
           when j.snoozes > 0 then 'snoozed'
           when j.crashes > 0 then 'after_crash'
           else 'queued'
       end as reason
from jobs j
left join queue_state q on q.queue = j.queue
left join unschedulable u on u.queue = j.queue and u.requires = j.requires
left join workers k on k.id = j.owner;

-- Sessions of which no work runs, and some waits for more than a free worker.
-- Reads every job once: ask for sessions with `in`, so that one statement does so once.
create view stuck_sessions as
select session_id
from (
    select coalesce(e.session_id, w.subject) as session_id, w.reason
    from job_waits w
    left join stage_executions e on e.execution_id = w.subject and e.status in ('pending', 'active')
    where w.subject >= '00000000-0000-0000-0000-000000000000' and w.reason is distinct from 'queued'
) work
group by 1
having bool_and(reason is not null);

-- Sessions of which some work runs.
create view running_sessions as
select coalesce(e.session_id, j.subject) as session_id
from jobs j
left join stage_executions e on e.execution_id = j.subject
where j.owner is not null and j.state = 'running';
