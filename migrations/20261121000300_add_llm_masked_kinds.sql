-- How many secrets of which kind were masked in what a model said, as mcp_interactions has it for results.
-- Null: nothing was. A stage that is resumed must know whether the arguments it reads are those of the model.
alter table llm_interactions add column masked_kinds jsonb;
