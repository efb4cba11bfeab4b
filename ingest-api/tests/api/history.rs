//! `/api/v1/history/`: sessions and their history.

mod details;
mod figures;
mod filters;
mod lists;
mod masked;
mod off;
mod origin;
mod progress;
mod quality;
mod search;
mod spending;
mod stage_states;
mod tallies;
mod usage;

use reqwest::StatusCode;

use crate::server::Server;

const SESSIONS: &str = "/api/v1/history/sessions";

async fn execute(server: &Server, statement: &str) {
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned()))
        .execute(server.db())
        .await
        .unwrap();
}

/// Inserts 30 ended sessions, one second apart, and 2 live ones. Lists show the newest first.
async fn many(server: &Server) {
    execute(
        server,
        r#"insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                fingerprint, status, outcome, started_at_us, completed_at_us, error_message, final_analysis, chain_id, chain_definition)
           select gen_random_uuid(), gen_random_uuid(), case when n % 3 = 0 then 'NodeDown' else 'kubernetes' end,
                jsonb_build_object('number', n, 'note', 'Ünïcode 50%_off ' || n), case when n % 2 = 0 then 'critical' else 'warning' end,
                0, 'api', 'f' || n,
                (case when n % 5 = 0 then 'failed' else 'completed' end)::session_status,
                (case when n % 5 = 0 then 'failed' else 'completed' end)::session_outcome,
                1700000000000000 + n * 1000000, 1700000000000000 + n * 1000000 + (31 - n) * 1000,
                case when n % 5 = 0 then 'the model was away' end, 'It was DNS number ' || n, 'chain-' || n % 2, '{"stages": [{}, {}]}'
           from generate_series(1, 30) n;
           insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                fingerprint, status, started_at_us, chain_id, chain_definition)
           select gen_random_uuid(), gen_random_uuid(), 'kubernetes', '{"number": 0}', 'warning', 0, 'api', 'live' || n,
                (case when n = 1 then 'pending' else 'in_progress' end)::session_status, 1700000100000000 + n, 'chain-0', '{"stages": []}'
           from generate_series(1, 2) n;"#,
    )
    .await;
}

async fn found(server: &Server, query: &str) -> (i64, Vec<i64>) {
    let answer = server.get(&format!("{SESSIONS}?{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{query}: {answer:?}");
    let starts = answer.body["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["started_at_us"].as_i64().unwrap());
    let numbers = starts
        .map(|us| (us - 1_700_000_000_000_000) / 1_000_000)
        .collect();
    (
        answer.body["pagination"]["total_items"].as_i64().unwrap(),
        numbers,
    )
}
