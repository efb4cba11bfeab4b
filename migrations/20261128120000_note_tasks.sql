-- The task that a tool call became at its server (MCP 2026-07-28): a worker that takes the stage over waits for its result instead of
-- recording an unknown outcome. Null: the call is an ordinary one.
alter table mcp_interactions add column task_id text;
