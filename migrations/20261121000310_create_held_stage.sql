-- The one fence of everything that is written while a stage runs: its row, locked for share, if the claim still
-- holds it. A takeover updates that row, so it waits for the write or makes it find nothing; the next worker reads
-- all that was written and nothing comes after.
-- unfenced is for torture tests alone: they must notice that the fence is gone.
create function held_stage(execution uuid, owner uuid, epoch bigint, unfenced boolean)
returns table (held_execution_id uuid)
language sql volatile rows 1
as $$
    select execution_id from stage_executions
    where execution_id = execution and (unfenced or claim_owner = owner and claim_epoch = epoch and status = 'active')
    for share
$$;
