//! Tests a silent Postgres: connections stay open but never answer again, while new ones work.

use std::time::Duration;

use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tarsy_chain_worker::{CHAIN_JOB, ChainService, ChainSetup};
use tarsy_config::{Config, Environment, Settings, Source};
use tarsy_model::{SessionId, chain_queue};
use tarsy_queue::{Advertised, Connections, NewJob, Waker};
use tarsy_store::new_session::NewSession;
use tarsy_testing::{SilentProxy, TestDb, wait};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const SOON: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_go_on_over_new_connections() {
    let db = TestDb::new().await;
    let proxy = SilentProxy::before(db.url()).await;
    let stop = CancellationToken::new();
    let service = service(&db, proxy.url().as_str());
    let running = tokio::spawn(service.run(stop.clone(), CancellationToken::new()));
    queue(&db).await;
    until_started(&db, 1).await;

    proxy.silence().await;
    for _ in 0..7 {
        queue(&db).await;
    }
    until_started(&db, 8).await;
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// Returns a chain worker that reads and writes rows over `url`.
pub(crate) fn service(db: &TestDb, url: &str) -> ChainService {
    tarsy_telemetry::install_crypto();
    let environment = Environment::from_pairs([("DATABASE_URL", url)]);
    let settings = Settings::read(&environment).unwrap();
    let config = Config::load(&Source::BuiltIn, &environment).unwrap();
    let pool = tarsy_boot::connect(&settings.database, "test").unwrap();
    let connections = Connections::shared(pool.clone());
    ChainService {
        waker: Waker::new(connections.clone()),
        connections,
        direct_url: db.url().to_owned(),
        slots: 4,
        queue: settings.queue,
        setup: ChainSetup::new(&config, &pool, true).unwrap().fixed(),
        advertised: Advertised::default().fixed(),
        public_url: None,
    }
}

/// Accepts a session of one stage.
async fn queue(db: &TestDb) {
    accept(db, &json!({})).await;
}

/// Accepts a session of one stage about `data`.
pub(crate) async fn accept(db: &TestDb, data: &Value) -> SessionId {
    let session_id = SessionId::generate();
    let chain = json!({"chain_id": "watch", "alert_types": ["Watch"],
        "stages": [{"name": "watch", "agent": "watcher"}]});
    let session = NewSession {
        session_id,
        alert_id: Uuid::now_v7(),
        alert_type: "Watch".to_owned(),
        data: to_raw_value(data).unwrap(),
        severity: "warning".to_owned(),
        alert_timestamp_us: None,
        source: "api".to_owned(),
        author: None,
        fingerprint: session_id.to_string(),
        idempotency_key: None,
        chain_id: "watch".to_owned(),
        chain_definition: to_raw_value(&chain).unwrap(),
        runbook_url: None,
        traceparent: None,
        suppressible: None,
    };
    let mut tx = db.pool().begin().await.unwrap();
    tarsy_store::sessions::insert_sessions(&mut tx, &[session])
        .await
        .unwrap();
    let job = NewJob::new(chain_queue(), CHAIN_JOB, session_id.as_uuid());
    tarsy_queue::enqueue(&mut tx, &[job]).await.unwrap();
    tx.commit().await.unwrap();
    session_id
}

/// Waits until this number of sessions have their first stage.
async fn until_started(db: &TestDb, sessions: i64) {
    wait::until("first stages", SOON, async || {
        let started: i64 = sqlx::query_scalar("select count(*) from stage_executions")
            .fetch_one(db.pool())
            .await
            .unwrap();
        started == sessions
    })
    .await;
}
