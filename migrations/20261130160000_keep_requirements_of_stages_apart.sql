-- What workers must know to run a stage's agent has a column of its own; it was a prefix of the column `agent`
-- (`structured-agent:LogAgent`). Rows that are there keep their prefix. Older versions write it still, and run the new
-- rows by the chain's definition, so versions run side by side.

alter table stage_executions add column requires text;

comment on column stage_executions.requires is
    'What workers must know to run the agent, e.g. `structured-agent`. Null: nothing, or the prefix of `agent` says it.';

-- The two columns of an actor (tarsy_model::Actor). `concat_ws(':', requires, agent)` is the actor again. Most actors have
-- no prefix; `like` finds that at a fraction of what the regular expression costs.
create function actor_requires(actor text) returns text
    language sql immutable parallel safe
    return case when actor like '%-agent:%' then
        substring(actor from '^((?:(?:structured|dispatching|labelling|verifying)-agent:)*(?:structured|dispatching|labelling|verifying)-agent):')
    end;

create function actor_name(actor text) returns text
    language sql immutable parallel safe
    return case when actor like '%-agent:%'
        then regexp_replace(actor, '^((structured|dispatching|labelling|verifying)-agent:)+', '') else actor end;
