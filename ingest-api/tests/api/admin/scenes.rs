//! Helpers: sessions in states that only workers bring about, and requests of operators.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::server::{Answer, IntoAnswer as _, Server, alert};

pub(crate) const ADMIN: &str = "/api/v1/admin";

pub(crate) const CHAIN: &str = r#"
agent_chains:
  three:
    alert_types: [Three]
    stages:
      - {name: collect, agent: KubernetesAgent}
      - {name: analyse, agent: KubernetesAgent, pool: gpu}
      - {name: report, agent: KubernetesAgent}
"#;

/// Submits an alert and returns its session.
pub(crate) async fn accepted(server: &Server, data: Value) -> Uuid {
    let mut body = alert(data);
    if server
        .get("/alert-types")
        .await
        .body
        .as_array()
        .unwrap()
        .contains(&json!("Three"))
    {
        body["alert_type"] = json!("Three");
    }
    let answer = server.post("/alerts", &body).await;
    answer.body["session_id"].as_str().unwrap().parse().unwrap()
}

/// Creates an ended session of [`CHAIN`]: collect completed, analyse failed, report completed.
pub(crate) async fn failed(server: &Server, data: Value) -> Uuid {
    let session = accepted(server, data).await;
    for (index, name, pool, status) in [
        (0, "collect", "default", "completed"),
        (1, "analyse", "gpu", "failed"),
        (2, "report", "default", "completed"),
    ] {
        sqlx::query(
            "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, iteration_strategy,
                    llm_provider, pool, status, timeout_ms, started_at_us, completed_at_us, stage_output, error_message)
             values ($1, $2, $3, $4, 'KubernetesAgent', 'react', 'openai', $5, $6::stage_status, 600000, 1, 2,
                     case when $6 = 'completed' then '{\"result\": \"x\"}'::jsonb end, case when $6 = 'failed' then 'no model' end)",
        )
        .bind(Uuid::now_v7())
        .bind(session)
        .bind(index)
        .bind(name)
        .bind(pool)
        .bind(status)
        .execute(server.db())
        .await
        .unwrap();
    }
    sqlx::query("delete from jobs where subject = $1")
        .bind(session)
        .execute(server.db())
        .await
        .unwrap();
    sqlx::query(
        "update alert_sessions set status = 'completed', outcome = 'partial', completed_at_us = now_us(),
                final_analysis = 'x', current_stage_index = 2 where session_id = $1",
    )
    .bind(session)
    .execute(server.db())
    .await
    .unwrap();
    session
}

/// Creates a session whose only stage is in a tool call of a worker. Returns the session, the stage
/// and its job.
pub(crate) async fn working(server: &Server) -> (Uuid, Uuid, Uuid) {
    let session = accepted(server, json!({"n": 1})).await;
    let (stage, job, owner) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    sqlx::query("delete from jobs")
        .execute(server.db())
        .await
        .unwrap();
    sqlx::query(
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, status, timeout_ms,
                started_at_us, claim_owner, claim_epoch)
         values ($1, $2, 0, 'analysis', 'KubernetesAgent', 'default', 'active', 600000, now_us(), $3, 1)",
    )
    .bind(stage)
    .bind(session)
    .bind(owner)
    .execute(server.db())
    .await
    .unwrap();
    sqlx::query(
        "insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, server_name,
                communication_type, tool_name, effect, step_description, claim_epoch)
         values ($1, $2, $3, 1, 1, 'k', 'tool_call', 'get', 'read_only', 'Call get', 1)",
    )
    .bind(Uuid::now_v7())
    .bind(session)
    .bind(stage)
    .execute(server.db())
    .await
    .unwrap();
    sqlx::query(
        "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts, owner, epoch, expires_at)
         values ($1, 'stage:default', 'stage', $2, 'null', 0, 'running', now(), now(), 3, $3, 1, now() + interval '1 minute')",
    )
    .bind(job)
    .bind(stage)
    .bind(owner)
    .execute(server.db())
    .await
    .unwrap();
    sqlx::query("update alert_sessions set status = 'in_progress', current_stage_index = 0 where session_id = $1")
        .bind(session)
        .execute(server.db())
        .await
        .unwrap();
    (session, stage, job)
}

/// Creates a dead job about `subject` that died `age` seconds ago.
pub(crate) async fn dead(db: &PgPool, subject: Uuid, key: Option<&str>, age: f64) -> Uuid {
    let id = Uuid::now_v7();
    sqlx::query(
        "insert into dead_jobs (id, queue, kind, subject, unique_key, payload, priority, attempts, max_attempts, crashes,
                snoozes, epoch, created_at, reason, error, died_at)
         values ($1, 'chain', 'chain', $2, $3, '{\"a\": 1}', 1, 20, 20, 1, 2, 7, now() - interval '1 hour', 'exhausted',
                 'no luck', now() - make_interval(secs => $4))",
    )
    .bind(id)
    .bind(subject)
    .bind(key)
    .bind(age)
    .execute(db)
    .await
    .unwrap();
    id
}

/// Sends a request with a reason, as Ada.
pub(crate) async fn ask(server: &Server, path: &str) -> Answer {
    ask_with(server, path, json!({})).await
}

/// Sends a request with a reason and more members, as Ada.
pub(crate) async fn ask_with(server: &Server, path: &str, mut body: Value) -> Answer {
    body["reason"] = json!("an outage");
    let request = server.post_raw(&format!("{ADMIN}{path}"), body.to_string());
    let request = request.header("x-forwarded-user", "ada");
    request.send().await.unwrap().into_answer().await
}

/// Returns action and subject of the log's entries, oldest first, and checks their actor and reason.
pub(crate) async fn logged(server: &Server) -> Vec<(String, String)> {
    let rows: Vec<(String, String, String, String)> =
        sqlx::query_as("select action, subject, actor, reason from audit_log order by entry_id")
            .fetch_all(server.db())
            .await
            .unwrap();
    rows.into_iter()
        .map(|(action, subject, actor, reason)| {
            assert_eq!((&*actor, &*reason), ("ada", "an outage"));
            (action, subject)
        })
        .collect()
}

/// Returns one text of one row.
pub(crate) async fn text(server: &Server, query: &'static str, id: Uuid) -> String {
    let found: Option<String> = sqlx::query_scalar(query)
        .bind(id)
        .fetch_one(server.db())
        .await
        .unwrap();
    found.unwrap_or_default()
}
