-- 10,000 sessions that ended, one a minute.
insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, outcome,
    started_at_us, completed_at_us, error_message, final_analysis, chain_id, chain_definition, duplicate_count)
select gen_random_uuid(), gen_random_uuid(), (array['PodCrashLooping', 'NodeNotReady', 'HighLatency', 'DiskFull'])[1 + n % 4],
    jsonb_build_object('namespace', 'team-' || n % 40, 'n', n), (array['critical', 'warning', 'info'])[1 + n % 3], now_us() - n * 60000000::bigint,
    'alertmanager', 'seed-' || n, case when n % 9 = 0 then 'failed' else 'completed' end::session_status,
    case when n % 9 = 0 then 'failed' else 'completed' end::session_outcome, now_us() - n * 60000000::bigint - 90000000, now_us() - n * 60000000::bigint,
    case when n % 9 = 0 then 'every stage failed: the provider refused the key' end, case when n % 9 <> 0 then '# It was DNS' end, 'seeded',
    '{"chain_id": "seeded", "stages": [{"name": "collect", "agent": "KubernetesAgent"}, {"name": "report", "agent": "KubernetesAgent"}]}', n % 5
from generate_series(1, 10000) as n;
