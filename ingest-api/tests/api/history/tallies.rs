//! Lists show the same for a session whether it was tallied after its end or is counted now.

use std::time::Duration;

use serde_json::{Value, json};

use super::{SESSIONS, execute, many};
use crate::server::Server;

/// Adds calls and two stages to every session. Some sessions run the second stage again.
const STAGES: &str = r#"
    insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, attempt, round, timeout_ms,
                                  status, completed_at_us)
    select gen_random_uuid(), s.session_id, a.stage, 'part', 'a', 'default', a.attempt, a.attempt - 1, 1,
           (case when (a.stage, a.attempt) = (1, 1) then 'failed' else 'completed' end)::stage_status, now_us()
    from alert_sessions s, (values (0, 1), (1, 1), (1, 2)) as a (stage, attempt)
    where a.attempt = 1 or s.severity = 'critical';
    insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, provider,
                                  model_name, new_messages, step_description, claim_epoch, input_tokens, output_tokens, cost_usd)
    select gen_random_uuid(), session_id, execution_id, n, 1, 'iteration', 'p', 'm', '[]', 'x', 1, 10 * n, n, 0.25
    from stage_executions, generate_series(1, 2) n where stage_index = 0;
    insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, server_name,
                                  communication_type, effect, step_description, claim_epoch)
    select gen_random_uuid(), session_id, execution_id, 3, 1, 's', 'tool_call', 'read_only', 'x', 1
    from stage_executions where stage_index = 1;
    update alert_sessions set current_stage_index = 1, current_stage_id = 'part_1' where completed_at_us is not null;
"#;

async fn lines(server: &Server) -> Vec<Value> {
    let body = server.get(&format!("{SESSIONS}?page_size=100")).await.body;
    body["sessions"].as_array().unwrap().clone()
}

/// Returns the line of the `n`th session by start.
async fn line(server: &Server, n: i64) -> Value {
    let start = json!(1_700_000_000_000_000 + n * 1_000_000);
    let mut lines = lines(server).await.into_iter();
    lines.find(|line| line["started_at_us"] == start).unwrap()
}

async fn tally(server: &Server, settle: Duration) -> u64 {
    let mut conn = server.db().acquire().await.unwrap();
    let (mut all, few) = (0, 7);
    loop {
        let tallied = tarsy_store::history::tally_ended_sessions(&mut conn, few, settle)
            .await
            .unwrap();
        all += tallied;
        if tallied < few.unsigned_abs() {
            return all;
        }
    }
}

#[tokio::test]
async fn a_list_shows_the_same_for_tallied_sessions() {
    let server = Server::start().await;
    many(&server).await;
    execute(&server, STAGES).await;
    let counted = lines(&server).await;
    let replayed = line(&server, 2).await;
    assert_eq!(
        [
            "completed_stages",
            "failed_stages",
            "llm_interaction_count",
            "mcp_communication_count",
            "input_tokens",
            "cost_usd"
        ]
        .map(|name| replayed[name].clone()),
        [
            json!(2),
            json!(0),
            json!(2),
            json!(2),
            json!(30),
            json!(0.5)
        ],
        "{replayed}"
    );

    let century = Duration::from_secs(100 * 366 * 86_400);
    assert_eq!(tally(&server, century).await, 0, "ends settle first");
    assert_eq!(tally(&server, Duration::ZERO).await, 30, "those that ended");
    assert_eq!(tally(&server, Duration::ZERO).await, 0, "once each");
    assert_eq!(lines(&server).await, counted);
}

#[tokio::test]
async fn a_tally_is_of_one_end_and_a_session_that_is_run_again_is_counted() {
    let server = Server::start().await;
    many(&server).await;
    execute(&server, STAGES).await;
    let counted = line(&server, 5).await["llm_interaction_count"].clone();
    tally(&server, Duration::ZERO).await;
    execute(&server, "update session_tallies set llm_calls = 99").await;
    let number = async || line(&server, 5).await["llm_interaction_count"].clone();
    assert_eq!(number().await, json!(99), "the tally is what is shown");

    let set = async |end: &str| {
        let set = format!("update alert_sessions set {end} where fingerprint = 'f5'");
        execute(&server, &set).await;
    };
    set("status = 'in_progress', completed_at_us = null").await;
    assert_eq!(number().await, counted, "it lives");
    set("status = 'failed', completed_at_us = now_us()").await;
    assert_eq!(number().await, counted, "its new end is not tallied yet");
    assert_eq!(tally(&server, Duration::ZERO).await, 1);
    assert_eq!(number().await, counted, "it is now");
    execute(&server, "update session_tallies set llm_calls = 98").await;
    assert_eq!(number().await, json!(98));
}
