-- What a job has unless a statement says otherwise, so that none repeats it: it is ready, due at once, and may fail 20 times.
alter table jobs
    alter column payload set default 'null',
    alter column state set default 'ready',
    alter column run_at set default clock_timestamp(),
    alter column max_attempts set default 20;

-- Where a job stands in its queue: when it is due, minus ten minutes for each level of priority. Between two levels a younger job overtakes
-- at most this much older ones, so nothing starves. Inlined by the planner: keep it one expression, and `stable` as the subtraction is.
create function job_rank(priority smallint, due timestamptz) returns timestamptz
    language sql stable parallel safe
    return due - make_interval(secs => priority * 600.0::float8);

-- The event of a wait that was opened (docs/LIVE.md). Inlined too.
create function wait_opened_event(
    session_id uuid, execution_id uuid, wait_id uuid, stage_name text, sort wait_sort, question text, expires_at timestamptz
) returns jsonb
    language sql stable parallel safe
    return jsonb_build_object(
        'type', 'wait_update', 'session_id', session_id, 'execution_id', execution_id, 'wait_id', wait_id,
        'stage_name', stage_name, 'sort', sort, 'status', 'open', 'question', question,
        'expires_at_us', (extract(epoch from expires_at) * 1000000)::bigint);
