-- Sessions $1 to $2 of $3, their ids made of their numbers and $4, as a fleet that has run for 90 days leaves them: 20 alert types of very unequal
-- frequency, 9 % failed, the newest 20 still in progress, and about ten interactions each.
with picked as materialized (
    select n,
           now_us() - ((($3 - n)::float8 / $3) * 90 * 86400e6)::bigint as started_at_us,
           (20 * power(random(), 2.5))::int as kind,
           random() as luck, random() as gravity,
           (20e6 + 180e6 * random() * random())::bigint as took_us,
           3 + (random() * 4)::int as calls,
           md5(n::text || $4::text) as hash
    from generate_series($1::bigint, $2::bigint) as n
), drafted as materialized (
    select *,
           (lpad(to_hex(started_at_us / 1000), 12, '0') || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid as session_id,
           ('{KubePodCrashLooping,KubePodNotReady,NodeNotReady,HighMemory,HighCPU,DiskFull,CertificateExpiring,JobFailed,'
            || 'TargetDown,EtcdNoLeader,APIServerLatency,NamespaceTerminating,ImagePullBackOff,PVCPending,HPAMaxed,'
            || 'DNSFailing,IngressErrors,DatabaseSlow,QueueBacklog,BackupMissing,OOMKilled}')::text[] as kinds,
           case when n > $3 - 20 then 'in_progress' when luck < 0.09 then 'failed' when luck < 0.11 then 'cancelled'
                else 'completed' end as state,
           'team-' || (hashtext(hash) & 63) as namespace
    from picked
), sessions as (
    insert into alert_sessions
        (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, duplicate_count,
         status, outcome, started_at_us, completed_at_us, error_message, final_analysis, chain_id, chain_definition,
         runbook_url, runbook_content)
    select session_id, hash::uuid, kinds[kind + 1],
           jsonb_build_object('namespace', namespace, 'cluster', 'prod-' || (kind & 3), 'pod', 'app-' || substr(hash, 1, 10),
                              'message', 'Pod app-' || substr(hash, 1, 10) || ' in ' || namespace || ' has restarted ' || (kind + 3)
                                         || ' times in the last 15 minutes and does not become ready',
                              'labels', jsonb_build_object('alertname', kinds[kind + 1], 'job', 'kube-state-metrics', 'instance', '10.0.' || (kind * 3) || '.' || (n & 255)),
                              'annotations', jsonb_build_object('summary', 'See the dashboard of ' || namespace, 'trace', hash)),
           case when gravity < 0.1 then 'critical' when gravity < 0.3 then 'high' when gravity < 0.75 then 'warning' else 'info' end,
           started_at_us - 2000000, case when luck < 0.6 then 'alertmanager' else 'api' end, hash, (luck * 3)::int,
           state::session_status,
           case state when 'completed' then case when luck < 0.2 then 'partial' else 'completed' end when 'failed' then 'failed' end::session_outcome,
           started_at_us, case when state <> 'in_progress' then started_at_us + took_us end,
           case when state = 'failed' then 'stage analyse failed: the model gave no answer: ' || (array['HTTP 529: Overloaded', 'no answer within 120.0 s', 'HTTP 401: bad key'])[1 + (n % 3)] end,
           case when state = 'completed' then '# Analysis' || E'\n\nThe pod app-' || substr(hash, 1, 10) || ' of ' || namespace
                || ' fails its readiness probe because its connection pool to the database is exhausted: 100 of 100 connections are in use since the deployment of '
                || substr(hash, 11, 8) || E'.\n\n## Evidence\n- logs: `pool timeout after 30 s`, ' || (kind * 7 + 11) || E' times\n- events: BackOff restarting failed container\n\n## Recommendation\nRoll the deployment back, then raise the pool size.' end,
           'chain-' || kind,
           '{"chain_id": "seeded", "alert_types": ["seeded"], "stages": [{"name": "collect", "agent": "KubernetesAgent"}, {"name": "analyse", "agent": "KubernetesAgent"}]}'::jsonb,
           'https://github.com/example/runbooks/blob/main/' || kinds[kind + 1] || '.md', E'# Runbook\n\n1. Look at the pods.\n2. Look at the events.\n3. Look at the database.'
    from drafted
), stages as (
    insert into stage_executions
        (execution_id, session_id, stage_index, stage_name, agent, iteration_strategy, llm_provider, pool, status, timeout_ms,
         created_at_us, started_at_us, completed_at_us, stage_output, error_message, error_class, iterations, input_tokens,
         output_tokens, cost_usd, cost_completeness)
    select overlay(session_id::text placing stage::text from 36 for 1)::uuid, session_id, stage, (array['collect', 'analyse'])[stage + 1],
           'KubernetesAgent', 'react', 'gemini', 'default',
           (case when state = 'failed' and stage = 1 then 'failed' when state = 'in_progress' and stage = 1 then 'active' else 'completed' end)::stage_status,
           600000, started_at_us + stage * took_us / 2, started_at_us + stage * took_us / 2,
           case when state <> 'in_progress' or stage = 0 then started_at_us + (stage + 1) * took_us / 2 end,
           case when state <> 'failed' or stage = 0 then jsonb_build_object('result', 'The pool of ' || namespace || ' is exhausted.', 'status', 'completed') end,
           case when state = 'failed' and stage = 1 then 'the model gave no answer' end,
           case when state = 'failed' and stage = 1 then 'llm_overloaded' end,
           calls, calls * 1900, calls * 240, calls * 0.0041, 'complete'
    from drafted cross join generate_series(0, 1) as stage
), models as (
    insert into llm_interactions
        (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, timestamp_us, duration_ms, provider,
         model_name, new_messages, response_text, input_tokens, output_tokens, cost_usd, success, step_description, claim_epoch)
    select overlay(overlay(session_id::text placing lpad(to_hex(call), 2, '0') from 32 for 2) placing 'a' from 35 for 1)::uuid,
           session_id, overlay(session_id::text placing (call % 2)::text from 36 for 1)::uuid, call / 2 * 2, 1 + call / 2, 'iteration',
           started_at_us + call * took_us / (calls + 1), (took_us / (calls + 1) / 1000 * 0.8)::bigint, 'gemini', 'gemini-3.1-pro',
           jsonb_build_array(jsonb_build_object('role', 'user', 'content', 'Observation: app-' || substr(hash, 1, 10)
               || ' 0/1 CrashLoopBackOff restarts=12 age=41d node=ip-10-0-3-17 events: BackOff, Unhealthy: Readiness probe failed with status 503')),
           E'Thought: I should look at the logs of app-' || substr(hash, 1, 10) || E' next.\nAction: kubernetes-server.pods_log\nAction Input: {"namespace": "' || namespace || '"}',
           1900, 240, 0.0041, not (state = 'failed' and call = calls - 1), 'Iteration ' || (1 + call / 2) || ': ask model', 1
    from drafted cross join lateral generate_series(0, calls - 1) as call
)
insert into mcp_interactions
    (interaction_id, session_id, stage_execution_id, sequence, iteration, timestamp_us, duration_ms, server_name,
     communication_type, tool_name, tool_arguments, tool_result, effect, success, step_description, claim_epoch)
select overlay(overlay(session_id::text placing lpad(to_hex(call), 2, '0') from 32 for 2) placing 'b' from 35 for 1)::uuid,
       session_id, overlay(session_id::text placing (call % 2)::text from 36 for 1)::uuid, call / 2 * 2 + 1, 1 + call / 2,
       started_at_us + call * took_us / (calls + 1) + 1000, 140, 'kubernetes-server', 'tool_call',
       (array['pods_list', 'pods_log', 'events_list'])[1 + call % 3], jsonb_build_object('namespace', namespace, 'name', 'app-' || substr(hash, 1, 10)),
       to_jsonb('NAME READY STATUS RESTARTS AGE' || E'\napp-' || substr(hash, 1, 10) || ' 0/1 CrashLoopBackOff 12 (2m ago) 41d' || E'\nlast state: terminated, exit code 137'),
       'read_only', true, 'kubernetes-server.pods_list', 1
from drafted cross join lateral generate_series(0, calls - 1) as call
