-- A session of 2,000 interactions: two stages of 500 model and 500 tool calls, a tool's answer 3 kB long.
with session as (
    insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status,
        outcome, started_at_us, completed_at_us, final_analysis, chain_id, chain_definition, runbook_url)
    select gen_random_uuid(), gen_random_uuid(), 'LongSession', '{"namespace": "team-a"}', 'critical', now_us() - 7200000000, 'api', 'long', 'completed',
        'completed', now_us() - 7200000000, now_us() - 100000000, E'# It was DNS\n\n## Root cause\nThe resolver was down.', 'long',
        '{"chain_id": "long", "stages": [{"name": "collect", "agent": "KubernetesAgent"}, {"name": "analyse", "agent": "KubernetesAgent"}]}', null
    returning session_id
), stages as (
    insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, attempt, status, timeout_ms, created_at_us,
        started_at_us, completed_at_us, stage_output)
    select gen_random_uuid(), session_id, index, name, 'KubernetesAgent', 'default', 1, 'completed', 600000, now_us() - 7200000000 + index * 3500000000,
        now_us() - 7200000000 + index * 3500000000, now_us() - 3700000000 + index * 3500000000, '{"result": "found it"}'
    from session, (values (0, 'collect'), (1, 'analyse')) as named (index, name)
    returning execution_id, session_id, started_at_us
), models as (
    insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, timestamp_us, duration_ms, provider,
        model_name, new_messages, response_text, input_tokens, output_tokens, success, step_description, claim_epoch)
    select gen_random_uuid(), session_id, execution_id, 2 * n, n + 1, 'iteration', started_at_us + n * 7000000::bigint, 3000, 'scripted', 'scripted:long',
        case n when 0 then '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is it?"}]'::jsonb
            else jsonb_build_array(
                jsonb_build_object('role', 'assistant', 'content', 'Thought: ' || repeat('I look further. ', 20)),
                jsonb_build_object('role', 'user', 'content', 'Observation: ' || repeat('line ' || n || E' of the log\n', 150))) end,
        E'Thought: ' || repeat('I look further. ', 20) || E'\nAction: demo-cluster.pods_log\nAction Input: {"name": "pod-' || n || '"}',
        9000, 90, true, 'Iteration ' || n + 1 || ': ask model', 1
    from stages, generate_series(0, 499) as n
), tools as (
    insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, timestamp_us, duration_ms, server_name,
        communication_type, tool_name, tool_arguments, tool_result, effect, success, step_description, claim_epoch)
    select gen_random_uuid(), session_id, execution_id, 2 * n + 1, n + 1, started_at_us + n * 7000000::bigint + 3500000, 2000, 'demo-cluster', 'tool_call', 'pods_log',
        jsonb_build_object('name', 'pod-' || n), to_jsonb(repeat('line ' || n || E' of the log\n', 150)), 'read_only', true, 'Call pods_log', 1
    from stages, generate_series(0, 499) as n
)
select session_id from session;
