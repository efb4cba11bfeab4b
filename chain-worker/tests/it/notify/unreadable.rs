//! Tests that a session whose stored chain can't be read fails at once, without effect on others.

use tarsy_chain_worker::{ChainService, ChainSetup};
use tarsy_config::{Config, Environment, Settings, Source};
use tarsy_queue::{Advertised, Connections, NewJob, Waker};
use tarsy_testing::{TestDb, wait};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::PATIENCE;

/// Accepts a session with this chain, and enqueues its chain job.
async fn accept(db: &TestDb, chain: &str) -> Uuid {
    let session = Uuid::now_v7();
    let mut tx = db.pool().begin().await.unwrap();
    sqlx::query(
        "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                                     fingerprint, chain_id, chain_definition)
         values ($1, gen_random_uuid(), 'kubernetes', '{}', 'critical', 1, 'api', $1::text, 'c', $2::text::jsonb)",
    )
    .bind(session)
    .bind(chain)
    .execute(&mut *tx)
    .await
    .unwrap();
    let job = NewJob::new(
        tarsy_model::chain_queue(),
        tarsy_chain_worker::CHAIN_JOB,
        session,
    );
    tarsy_queue::enqueue(&mut tx, &[job]).await.unwrap();
    tx.commit().await.unwrap();
    session
}

#[tokio::test]
async fn a_chain_that_can_not_be_read_fails_its_session_and_no_other() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let db = TestDb::new().await;
    let odd = accept(&db, r#"{"stages": {"not": "a list"}}"#).await;
    let fine = accept(
        &db,
        r#"{"chain_id": "c", "alert_types": ["kubernetes"], "stages": [{"name": "look", "agent": "KubernetesAgent"}]}"#,
    )
    .await;
    let env = Environment::from_pairs::<&str, &str>([]);
    let (settings, config) = (
        Settings::read(&env).unwrap(),
        Config::load(&Source::BuiltIn, &env).unwrap(),
    );
    let stop = CancellationToken::new();
    let service = ChainService {
        connections: Connections::shared(db.pool().clone()),
        direct_url: db.url().to_owned(),
        slots: 4,
        queue: settings.queue.clone(),
        setup: ChainSetup::new(&config, db.pool(), true).unwrap().fixed(),
        advertised: Advertised::default().fixed(),
        public_url: None,
        waker: Waker::new(db.pool().clone()),
    };
    let running = tokio::spawn(service.run(stop.clone(), CancellationToken::new()));
    let standing = async |session: Uuid| -> (String, Option<String>) {
        sqlx::query_as(
            "select status::text, error_message from alert_sessions where session_id = $1",
        )
        .bind(session)
        .fetch_one(db.pool())
        .await
        .unwrap()
    };
    wait::until("the ends of chain jobs", PATIENCE, async || {
        let left = "select (select count(*) from jobs where kind = 'chain') + (select count(*) from dead_jobs)";
        let left: i64 = sqlx::query_scalar(left).fetch_one(db.pool()).await.unwrap();
        standing(odd).await.0 == "failed" && standing(fine).await.0 == "in_progress" && left == 0
    })
    .await;
    let why = standing(odd).await.1.unwrap();
    assert!(why.contains("stored chain can't be read"), "{why}");
    stop.cancel();
    running.await.unwrap().unwrap();
}
