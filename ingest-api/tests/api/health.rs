//! Root, health and probes.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tarsy_config::{Config, Environment, Settings, Source};
use tarsy_ingest_api::{App, Catalog, Error};
use tarsy_queue::Waker;
use tarsy_testing::{TestDb, wait};
use uuid::Uuid;

use crate::server::{Server, alert};

#[tokio::test]
async fn root_and_probes_answer() {
    let server = Server::start().await;
    assert_eq!(
        server.get("/").await.body,
        json!({"message": "Tarsy is running", "status": "healthy"})
    );
    assert_eq!(server.get("/livez").await.body, json!({"status": "alive"}));
    let ready = server.get("/readyz").await;
    assert_eq!(ready.status, StatusCode::OK);
    assert_eq!(
        ready.body,
        json!({"status": "ready", "database": true, "schema": "current", "draining": false})
    );
}

#[tokio::test]
async fn health_names_each_dependency() {
    let server = Server::start().await;
    insta::assert_json_snapshot!(server.get("/health").await.body, { ".timestamp" => "[now]", ".version" => "[version]" }, @r#"
    {
      "status": "degraded",
      "service": "tarsy",
      "version": "[version]",
      "timestamp": "[now]",
      "services": {
        "alert_processing": "no chain-worker",
        "history_service": "healthy",
        "database": {
          "enabled": true,
          "connected": true,
          "retention_days": 90
        },
        "llm": {
          "provider_available": true,
          "refusing": []
        },
        "mcp": {
          "unreachable": []
        },
        "knowledge": {
          "enabled": false
        },
        "queue": {
          "ready": 0,
          "running": 0,
          "dead": 0,
          "oldest_ready_seconds": 0.0,
          "paused": [],
          "workers": {},
          "workers_not_answering": {},
          "workers_in_trouble": {}
        }
      }
    }
    "#);
    for role in ["chain-worker", "stage-worker"] {
        sqlx::query(
            "insert into workers (id, role, host, pid, version, queues, slots, lock_key)
             values (gen_random_uuid(), $1, 'h', 1, '0', '{}', 1, 1)",
        )
        .bind(role)
        .execute(server.db())
        .await
        .unwrap();
    }
    let healthy = server.get("/health").await.body;
    assert_eq!(healthy["status"], "healthy");
    assert_eq!(
        healthy["services"]["queue"]["workers"],
        json!({"chain-worker": 1, "stage-worker": 1})
    );
    sqlx::query("update workers set trouble = 'it can''t claim jobs' where role = 'stage-worker'")
        .execute(server.db())
        .await
        .unwrap();
    let degraded = server.get("/health").await.body;
    assert_eq!(
        degraded["services"]["alert_processing"],
        "every stage-worker is in trouble"
    );
}

#[tokio::test]
async fn an_address_that_others_can_reach_is_refused_while_access_is_open() {
    let db = TestDb::new().await;
    let env = Environment::from_pairs([("TARSY_LISTEN", "0.0.0.0:0")]);
    let settings = Settings::read(&env).unwrap();
    let config = Config::load(&Source::BuiltIn, &env).unwrap();
    let refused = App::bind(tarsy_ingest_api::Config {
        ingest: settings.ingest,
        history: settings.history,
        drain_grace: settings.queue.drain_grace,
        catalog: Catalog::from_config(&config).unwrap().fixed(),
        waker: Waker::new(db.pool().clone()),
        primary: db.pool().connect_options().as_ref().clone().into(),
        replica: None,
        pool: db.pool().clone(),
    })
    .await;
    assert!(matches!(refused, Err(Error::Exposed(_))), "{refused:?}");
}

/// Records a model call: its error class, and the attempts if there was more than one.
async fn insert_call(server: &Server, sequence: i32, class: Option<&str>, attempts: Option<Value>) {
    sqlx::query(
        "insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, timestamp_us,
                provider, model_name, new_messages, success, error_class, attempts, step_description, claim_epoch)
         select $1, session_id, execution_id, $2, 1, 'iteration', now_us(), 'openai', 'm', '[]', $3::text is null or $4::jsonb is not null, $3, $4, '', 1
         from stage_executions",
    )
    .bind(Uuid::now_v7())
    .bind(sequence)
    .bind(class)
    .bind(attempts)
    .execute(server.db())
    .await
    .unwrap();
}

#[tokio::test]
async fn a_provider_that_refuses_every_call_is_reported() {
    let server = Server::start().await;
    server.post("/alerts", &alert(json!({"n": 0}))).await;
    sqlx::query(
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, timeout_ms)
         select gen_random_uuid(), session_id, 0, 's', 'a', 'default', 1 from alert_sessions",
    )
    .execute(server.db())
    .await
    .unwrap();
    let refusing = async || {
        let mut conn = server.db().acquire().await.unwrap();
        let found = tarsy_store::refusals::refusing_providers(&mut conn, 0)
            .await
            .unwrap();
        let shown = found.into_iter();
        shown
            .map(|one| (one.provider, one.class, one.calls))
            .collect::<Vec<_>>()
    };
    let one = |provider: &str, class: &str, calls| (provider.to_owned(), class.to_owned(), calls);
    // Errors that the request caused don't count against the provider, and a rate limit may pass.
    for (sequence, class) in (0..).zip(["context_length", "refused", "cancelled", "rate_limited"]) {
        insert_call(&server, sequence, Some(class), None).await;
    }
    assert_eq!(refusing().await, []);
    insert_call(&server, 4, Some("overloaded"), None).await;
    insert_call(&server, 5, Some("rate_limited"), None).await;
    assert_eq!(refusing().await, [one("openai", "rate_limited", 3)]);
    insert_call(&server, 6, None, None).await;
    assert_eq!(refusing().await, []);
    // A fallback answers in place of the provider whose key is wrong.
    let attempts = json!([
        {"provider": "openai", "model": "m", "class": "auth", "message": "no", "duration_ms": 1},
        {"provider": "local", "model": "l", "class": null, "message": "", "duration_ms": 1},
    ]);
    insert_call(&server, 7, None, Some(attempts)).await;
    assert_eq!(refusing().await, [one("openai", "auth", 1)]);

    let soon = Duration::from_secs(30);
    let health = wait::until("the refusal in the health", soon, async || {
        let health = server.get("/health").await.body;
        let refusing = &health["services"]["llm"]["refusing"];
        (refusing[0]["provider"] == "openai").then_some(health)
    })
    .await;
    assert_eq!(health["status"], "degraded");
    assert_eq!(health["services"]["llm"]["refusing"][0]["class"], "auth");
    assert!(health["services"]["llm"]["refusing"][0]["since_us"].is_i64());
    let accepted = server.post("/alerts", &alert(json!({"n": 1}))).await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED);
    let warning = accepted.body["warnings"][0].as_str().unwrap();
    assert!(warning.contains("`openai` refuses"), "{warning}");
}

#[tokio::test]
async fn an_alert_is_warned_about_the_upstreams_of_its_own_chain() {
    let server = Server::configured(
        "llm_providers:
  openai: {model: m}
  other: {type: ollama, model: o, fallbacks: [openai]}
  third: {type: ollama, model: o}
mcp_servers:
  broken: {server_type: docs, connection_params: {url: 'https://wiki.example/mcp'}}
agents:
  Reader: {mcp_servers: [broken], llm_provider: third}
  Lead: {llm_provider: third, sub_agents: [Reader]}
  Plain: {llm_provider: third}
agent_chains:
  reading: {alert_types: [Reading], stages: [{name: s, agent: Reader}]}
  leading: {alert_types: [Leading], stages: [{name: s, agent: Lead}]}
  falling: {alert_types: [Falling], stages: [{name: s, agent: Plain, llm_provider: other}]}
  plain: {alert_types: [Plain], stages: [{name: s, agent: Plain}]}
",
    )
    .await;
    let submit = async |alert_type: &str| {
        let alert = json!({"alert_type": alert_type, "runbook": "https://github.com/example/r/blob/main/a.md"});
        server.post("/alerts", &alert).await.body
    };
    submit("Plain").await;
    sqlx::query(
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, timeout_ms)
         select gen_random_uuid(), session_id, 0, 's', 'a', 'default', 1 from alert_sessions",
    )
    .execute(server.db())
    .await
    .unwrap();
    insert_call(&server, 0, Some("auth"), None).await;
    for sequence in 1..4 {
        sqlx::query(
            "insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, timestamp_us,
                    server_name, communication_type, effect, success, error_message, step_description, claim_epoch)
             select $1, session_id, execution_id, $2, 0, now_us(), 'broken', 'tool_list', 'read_only', false, 'gone', '', 1
             from stage_executions",
        )
        .bind(Uuid::now_v7())
        .bind(sequence)
        .execute(server.db())
        .await
        .unwrap();
    }
    let soon = Duration::from_secs(30);
    wait::until("both upstreams in the health", soon, async || {
        let services = &server.get("/health").await.body["services"];
        let listed = |name: &str, list: &str| {
            services[name][list]
                .as_array()
                .is_some_and(|found| !found.is_empty())
        };
        (listed("llm", "refusing") && listed("mcp", "unreachable")).then_some(())
    })
    .await;
    let warned = async |alert_type: &str| {
        let body = submit(alert_type).await;
        let warnings = body["warnings"].as_array().cloned().unwrap_or_default();
        let names = warnings.iter().map(|text| {
            let text = text.as_str().unwrap();
            text.split('`').nth(1).unwrap().to_owned()
        });
        names.collect::<Vec<_>>()
    };
    assert_eq!(warned("Plain").await, [] as [&str; 0]);
    assert_eq!(warned("Reading").await, ["broken"]);
    assert_eq!(warned("Leading").await, ["broken"]);
    assert_eq!(warned("Falling").await, ["openai"]);
}

/// Creates a role that may hold `limit` connections and use all tables of this database.
async fn limited_role(db: &TestDb, limit: u32) -> PgPool {
    for statement in [
        "do $$ begin create role tarsy_test_few login; exception when others then null; end $$"
            .to_owned(),
        format!("alter role tarsy_test_few connection limit {limit} password 'few'"),
        "grant all on all tables in schema public to tarsy_test_few".to_owned(),
        "grant all on all sequences in schema public to tarsy_test_few".to_owned(),
    ] {
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .execute(db.pool())
            .await
            .unwrap();
    }
    let options = db.pool().connect_options().as_ref().clone();
    PgPoolOptions::new()
        .max_connections(4)
        .connect_lazy_with(options.username("tarsy_test_few").password("few"))
}

#[tokio::test]
async fn a_role_with_too_few_connections_is_not_ready_and_gets_the_reason() {
    let db = TestDb::new().await;
    let server = Server::over(limited_role(&db, 3).await).await;
    let ready = server.get("/readyz").await;
    let message = ready.body["message"].as_str().unwrap_or_default();
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE, "{ready:?}");
    assert!(
        message.contains("3 connections") || message.contains("too many connections for role"),
        "{message}"
    );
    assert!(message.contains("at least 6"), "{message}");
    limited_role(&db, 50).await;
    wait::until(
        "the process to be ready",
        Duration::from_secs(30),
        async || server.get("/readyz").await.status == StatusCode::OK,
    )
    .await;
}
