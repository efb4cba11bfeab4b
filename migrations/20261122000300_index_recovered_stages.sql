-- How many orphans a pool's workers took over. Only a stage that lost a worker has an entry: what goes well
-- writes nothing here.
create index stage_executions_recovered on stage_executions (execution_id) where crash_count > 0;
