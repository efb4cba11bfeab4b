//! Progress of live sessions: the filter `progress`, its counts, and the reasons why sessions wait.

use serde_json::{Value, json};

use super::filters::starts;
use super::{SESSIONS, execute};
use crate::server::Server;

/// Inserts live sessions: one waits for a decision, one for a time, two for a worker, and one runs.
/// An ended session has an undecided wait.
async fn in_progress(server: &Server) {
    execute(
        server,
        r#"insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                fingerprint, status, outcome, started_at_us, completed_at_us, chain_id, chain_definition)
           select md5(n::text)::uuid, md5(n::text)::uuid, 't', '{}', 'warning', 0, 'api', 'f' || n, status::session_status,
                case when status = 'completed' then 'completed' end::session_outcome, n * 1000000,
                case when status = 'completed' then n * 1000000 + 5 end, 'c', '{}'
           from (values (1, 'in_progress'), (2, 'in_progress'), (3, 'in_progress'), (4, 'in_progress'), (5, 'pending'), (6, 'completed')) v (n, status);
           insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, status, timeout_ms, completed_at_us)
           select md5('e' || n)::uuid, md5(n::text)::uuid, 0, 's', 'A', 'default', status::stage_status, 1000, case when status = 'completed' then 5 end
           from (values (1, 'waiting'), (2, 'active'), (3, 'waiting'), (4, 'pending'), (6, 'completed')) v (n, status);
           insert into waits (wait_id, session_id, execution_id, sort, question, role, expires_at)
           select md5('w' || n)::uuid, md5(n::text)::uuid, md5('e' || n)::uuid, sort::wait_sort, '?', role, now() + interval '1 hour'
           from (values (1, 'approval', 'operator'), (3, 'timer', null), (6, 'approval', 'operator')) v (n, sort, role);
           insert into workers (id, role, host, pid, version, queues, slots, lock_key, heartbeat_at)
           select md5('k' || n)::uuid, 'worker', 'h', n, '1', array['chain', 'stage:default'], 5, n, clock_timestamp() - age::interval
           from (values (1, '-1 h'), (2, '1 min')) v (n, age);
           insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts, owner, expires_at)
           select md5('j' || n)::uuid, queue, 'k', md5(subject || n)::uuid, '{}', 0, state::job_state, now(), now(), 3,
                case when state = 'running' then md5('k1')::uuid end, case when state = 'running' then now() + interval '1 hour' end
           from (values (2, 'stage:default', 'e', 'running'), (4, 'stage:default', 'e', 'ready'), (5, 'chain', '', 'ready')) v (n, queue, subject, state);"#,
    )
    .await;
}

#[tokio::test]
async fn live_sessions_are_found_and_counted_by_what_they_wait_for() {
    let server = Server::start().await;
    in_progress(&server).await;
    for (query, expected) in [
        ("progress=needs_decision", &[1_i64][..]),
        ("progress=in_progress", &[3, 2]),
        ("progress=queued", &[5, 4]),
        ("progress=queued&status=in_progress", &[4]),
        ("progress=queued&progress=in_progress", &[5, 4, 3, 2]),
        ("progress=queued&status=completed", &[]),
        ("search=progress:needs_decision", &[1]),
        ("progress=queued&sort_by=severity", &[5, 4]),
        ("ended_since=1970-01-01T00:00:06Z", &[6]),
        ("ended_since=1970-01-01T00:00:07Z", &[]),
    ] {
        assert_eq!(starts(&server, query).await, expected, "{query}");
    }
    let all = json!({"needs_decision": 1, "in_progress": 2, "queued": 2});
    // The facets of status and progress exclude each other's filters, so each counts all sessions.
    let statuses = json!({"pending": 1, "in_progress": 4, "completed": 1});
    for query in ["", "progress=queued", "status=completed"] {
        let path = format!("/api/v1/history/facets?{query}");
        let facets = server.get(&path).await.body;
        assert_eq!(facets["progress"]["values"], all, "{query}");
        assert_eq!(facets["status"]["values"], statuses, "{query}");
    }
    let refused = server.get(&format!("{SESSIONS}?progress=soon")).await;
    assert_eq!(refused.status, 400, "{refused:?}");
}

/// Inserts the live sessions 11 to 20. Each has a job for its only stage in another state. The last
/// three have two stages.
async fn standing(server: &Server) {
    execute(
        server,
        r#"create temporary table work (n int, stage int, queue text, stage_status text, state text, worker int, attempts int, snoozes int, crashes int);
           insert into work values
                (11, 0, 'stage:gpu', 'pending', 'ready', null, 0, 0, 0), (12, 0, 'stage:held', 'pending', 'ready', null, 0, 0, 0),
                (13, 0, 'stage:default', 'active', 'scheduled', null, 1, 0, 0), (14, 0, 'stage:default', 'active', 'scheduled', null, 0, 1, 0),
                (15, 0, 'stage:default', 'active', 'scheduled', null, 0, 0, 1), (16, 0, 'stage:default', 'active', 'running', 2, 0, 0, 0),
                (17, 0, 'stage:default', 'active', 'ready', null, 0, 0, 0),
                (18, 0, 'stage:gpu', 'pending', 'ready', null, 0, 0, 0), (18, 1, 'stage:default', 'active', 'running', 1, 0, 0, 0),
                (19, 0, 'stage:default', 'pending', 'ready', null, 0, 0, 0), (19, 1, 'stage:gpu', 'pending', 'ready', null, 0, 0, 0);
           insert into queue_state (queue, paused_at) values ('stage:held', now());
           insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                fingerprint, status, started_at_us, chain_id, chain_definition)
           select md5(n::text)::uuid, md5(n::text)::uuid, 't', '{}', 'warning', 0, 'api', 'f' || n, 'in_progress', n * 1000000, 'c', '{}'
           from generate_series(11, 20) n;
           insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, status, timeout_ms)
           select md5('e' || n || '.' || stage)::uuid, md5(n::text)::uuid, stage, 's' || stage, 'A', 'default', stage_status::stage_status, 1000 from work
           union all select md5('e20.' || stage)::uuid, md5('20')::uuid, stage, 's' || stage, 'A', 'default', 'waiting', 1000 from generate_series(0, 1) stage;
           insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts, owner, expires_at, attempts, snoozes, crashes)
           select md5('j' || n || '.' || stage)::uuid, queue, 'k', md5('e' || n || '.' || stage)::uuid, '{}', 0, state::job_state,
                now() + make_interval(secs => stage), now(), 3, md5('k' || worker)::uuid, case when state = 'running' then now() + interval '1 hour' end,
                attempts, snoozes, crashes
           from work;
           insert into waits (wait_id, session_id, execution_id, sort, question, role, signal, expires_at)
           select ('00000000-0000-0000-0000-00000000000' || stage)::uuid, md5('20')::uuid, md5('e20.' || stage)::uuid, sort::wait_sort, '?',
                role, signal, now() + interval '1 hour'
           from (values (0, 'signal', null, 's'), (1, 'approval', 'operator', null)) v (stage, sort, role, signal);
           drop table work;"#,
    )
    .await;
}

/// Returns the value of `progress` that matches the state of a row.
fn progress_of(session: &Value) -> &'static str {
    match session["waiting"]["reason"].as_str() {
        Some("approval") => "needs_decision",
        Some("signal" | "timer" | "children") => "in_progress",
        Some("queued") => "queued",
        Some(_) => "stuck",
        None if session["status"] == "pending" => "queued",
        None => "in_progress",
    }
}

#[tokio::test]
async fn rows_match_the_filter_and_its_counts() {
    let server = Server::start().await;
    in_progress(&server).await;
    standing(&server).await;
    let mut counted = json!({});
    for (progress, expected) in [
        ("needs_decision", &[20_i64, 1][..]),
        ("stuck", &[19, 16, 15, 14, 13, 12, 11]),
        ("queued", &[17, 5, 4]),
        ("in_progress", &[18, 3, 2]),
    ] {
        let query = format!("progress={progress}");
        assert_eq!(starts(&server, &query).await, expected, "{query}");
        counted[progress] = expected.len().into();
        let answer = server.get(&format!("{SESSIONS}?{query}")).await;
        for session in answer.body["sessions"].as_array().unwrap() {
            assert_eq!(progress_of(session), progress, "{session}");
        }
    }
    let facets = server.get("/api/v1/history/facets").await.body;
    assert_eq!(facets["progress"]["values"], counted);
}
