//! `GET /alerts/{alert_id}` and `GET /session-id/{alert_id}`.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::server::{Server, alert};

async fn execute(server: &Server, statement: &'static str) {
    sqlx::query(statement).execute(server.db()).await.unwrap();
}

#[tokio::test]
async fn an_alert_can_be_followed_to_its_end() {
    let server = Server::start().await;
    let accepted = server.post("/alerts", &alert(json!({"n": 1}))).await.body;
    let path = format!("/alerts/{}", accepted["alert_id"].as_str().unwrap());
    let read_progress = async || {
        let body = server.get(&path).await.body;
        assert_eq!(body["chain_id"], "kubernetes-agent-chain");
        let timestamp = body["timestamp"].as_str().unwrap();
        assert!(
            timestamp.ends_with('Z') && timestamp.starts_with("20"),
            "{timestamp}"
        );
        assert_eq!(body["session_id"], accepted["session_id"]);
        json!([
            body["status"],
            body["progress"],
            body["step"],
            body["agent"],
            body["result"],
            body["error"]
        ])
    };
    assert_eq!(
        read_progress().await,
        json!(["queued", 0, "waiting for a worker", null, null, null])
    );

    execute(
        &server,
        r#"update alert_sessions set status = 'in_progress',
           chain_definition = jsonb_set(chain_definition, '{stages}', '[{"name":"collect"},{"name":"analyse"}]')"#,
    )
    .await;
    assert_eq!(
        read_progress().await,
        json!(["processing", 0, "between two stages", null, null, null])
    );
    execute(
        &server,
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, status, completed_at_us, timeout_ms)
         select gen_random_uuid(), session_id, n, name, agent, 'default', stage_state::stage_status, ended, 1000
         from alert_sessions, (values (0, 'collect', 'Collector', 'failed', now_us()), (1, 'analyse', 'Analyst', 'active', null))
              as s (n, name, agent, stage_state, ended)",
    )
    .await;
    assert_eq!(
        read_progress().await,
        json!([
            "processing",
            50,
            "stage 2 of 2, analyse: running",
            "Analyst",
            null,
            null
        ])
    );

    execute(
        &server,
        "update stage_executions set agent = 'KubernetesAgent' where stage_index = 1",
    )
    .await;
    let servers = &server.get(&path).await.body["assigned_mcp_servers"];
    assert_eq!(servers, &json!(["kubernetes-server"]));
    // A running stage counts in part.
    for (iteration, progress) in [(1, 60), (2, 66), (3, 71)] {
        sqlx::query(
            "insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, provider,
                    model_name, new_messages, step_description, claim_epoch)
             select gen_random_uuid(), session_id, execution_id, 2 * $1, $1, 'iteration', 'p', 'm', '[]', '', 1
             from stage_executions where stage_index = 1",
        )
        .bind(iteration)
        .execute(server.db())
        .await
        .unwrap();
        let now = read_progress().await;
        let step = format!("stage 2 of 2, analyse: running, iteration {iteration} of 10");
        assert_eq!([&now[1], &now[2]], [&json!(progress), &json!(step)]);
    }
    execute(
        &server,
        "update stage_executions set status = 'completed', agent = 'Analyst', completed_at_us = now_us() where stage_index = 1",
    )
    .await;
    execute(&server, "update alert_sessions set status = 'completed', completed_at_us = now_us(), outcome = 'partial', final_analysis = 'It was DNS.'").await;
    assert_eq!(
        read_progress().await,
        json!([
            "completed",
            100,
            "analysis complete, although some stages failed",
            "Analyst",
            "It was DNS.",
            null
        ])
    );
    execute(&server, "update alert_sessions set status = 'failed', outcome = 'failed', final_analysis = null, error_message = 'no luck'").await;
    assert_eq!(
        read_progress().await,
        json!([
            "error",
            100,
            "ended without an analysis",
            "Analyst",
            null,
            "no luck"
        ])
    );
    execute(
        &server,
        "update alert_sessions set status = 'cancelled', error_message = null",
    )
    .await;
    assert_eq!(read_progress().await[0], json!("cancelled"));
}

#[tokio::test]
async fn the_session_of_an_alert_is_known() {
    let server = Server::start().await;
    let mut accepted = server.post("/alerts", &alert(json!({}))).await.body;
    let found = server
        .get(&format!(
            "/session-id/{}",
            accepted["alert_id"].as_str().unwrap()
        ))
        .await
        .body;
    for extra in ["message", "status"] {
        accepted.as_object_mut().unwrap().remove(extra);
    }
    assert_eq!(found, accepted);
}

#[tokio::test]
async fn unknown_ids_are_404() {
    let server = Server::start().await;
    for path in [
        "/alerts/nope",
        "/alerts/0190d2f4-0000-7000-8000-000000000000",
        "/session-id/0190d2f4-0000-7000-8000-000000000000",
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        assert_eq!(answer.body["code"], Value::from("alert_not_found"));
    }
}
