-- Finds a running stage by its claim and locks its row for share; finds nothing when the claim is lost. Everything that is
-- written while a stage runs goes through it: a takeover updates that row, so it waits for the write or makes it find
-- nothing, and the next worker reads all that was written. Replaces the function with a switch as its fourth argument,
-- which workers of the version before still call.
create function held_stage(execution uuid, owner uuid, epoch bigint)
returns table (held_execution_id uuid)
language sql volatile rows 1
as $$
    select execution_id from stage_executions
    where execution_id = execution and claim_owner = owner and claim_epoch = epoch and status = 'active'
    for share
$$;
