-- What a stage's job requires; tarsy_model::stage_requires says the same. The first argument is the column `agent` of the
-- stage's row: the bare name of an agent, or what runs a stage of another kind (`tool:server.tool`).
create or replace function stage_requires(agent text, llm_provider text) returns text[]
    language sql immutable parallel safe
    return array_remove(array[
        case
            when agent not like '%:%' then 'agent:' || agent
            when agent like 'ask:%' then 'kind:ask'
            when agent like 'tool:%.%' then 'server:' || split_part(substr(agent, 6), '.', 1)
            when agent like 'function:%' then agent
            when agent like 'wait:%' then 'kind:wait'
            else 'agent:' || agent
        end, 'provider:' || llm_provider], null);
