//! Root, health and probes.

use reqwest::StatusCode;
use serde_json::json;
use tarsy_config::{Config, Environment, Settings, Source};
use tarsy_ingest_api::{App, Catalog, Error};
use tarsy_queue::Waker;
use tarsy_testing::TestDb;

use crate::server::Server;

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
        json!({"status": "ready", "database": true, "draining": false})
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
          "provider_available": true
        },
        "queue": {
          "ready": 0,
          "running": 0,
          "dead": 0,
          "oldest_ready_seconds": 0.0,
          "paused": [],
          "workers": {}
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
}

#[tokio::test]
async fn an_address_that_others_can_reach_is_refused_while_access_is_open() {
    let db = TestDb::new().await;
    let env = Environment::of([("TARSY_LISTEN", "0.0.0.0:0")]);
    let settings = Settings::read(&env).unwrap();
    let config = Config::load(&Source::BuiltIn, &env).unwrap();
    let refused = App::bind(tarsy_ingest_api::Config {
        ingest: settings.ingest,
        history: settings.history,
        catalog: Catalog::of(&config).unwrap(),
        waker: Waker::new(db.pool().clone()),
        pool: db.pool().clone(),
    })
    .await;
    assert!(matches!(refused, Err(Error::Exposed(_))), "{refused:?}");
}
