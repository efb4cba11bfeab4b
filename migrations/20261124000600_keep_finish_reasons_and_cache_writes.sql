-- Why a model stopped, and how much of its prompt was written to the provider's cache. Both are null in rows
-- of workers that don't know them.
alter table llm_interactions
    add column finish_reason text,
    add column cache_write_tokens bigint;
