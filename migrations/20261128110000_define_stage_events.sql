-- The event of a stage's new status, as every statement that changes one writes it (docs/LIVE.md).
--
-- The prefix of an agent's name says which versions may run the stage; readers of events see the name as it is
-- configured. Inlined by the planner: keep it one expression, and `stable` as jsonb_build_object is.
create function stage_event(
    session_id uuid, execution_id uuid, stage_index integer, stage_count integer, stage_name text, agent text,
    attempt integer, branch integer, branch_name text, status stage_status, message text
) returns jsonb
    language sql stable parallel safe
as $$
    select jsonb_build_object(
        'type', 'stage_progress', 'session_id', session_id, 'execution_id', execution_id, 'stage_index', stage_index,
        'stage_count', stage_count, 'stage_name', stage_name,
        'agent', regexp_replace(agent, '^(structured-agent:)?(dispatching-agent:)?', ''), 'attempt', attempt,
        'branch', branch, 'branch_name', branch_name, 'status', status, 'message', message)
$$;
