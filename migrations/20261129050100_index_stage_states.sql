-- no-transaction
-- All that lists read of a tally, from one index.
create unique index concurrently if not exists session_tallies_line on session_tallies (session_id)
    include (completed_at_us, completed_stages, failed_stages, llm_calls, mcp_calls, input_tokens, output_tokens, cost_usd, stage_states);
