//! Postgres stops responding: open connections stay open and never answer again, while new ones work.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::json;
use sqlx::PgPool;
use tarsy_config::{Environment, Settings};
use tarsy_testing::{SilentProxy, TestDb, wait};

use crate::server::{Server, alert};

const SOON: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn alerts_are_accepted_and_history_is_read_over_new_connections() {
    let db = TestDb::new().await;
    let proxy = SilentProxy::before(db.url()).await;
    let server = Server::over(pool_over(&proxy)).await;
    let accepted = async |n: usize| {
        let answer = server.post("/alerts", &alert(json!({"n": n}))).await;
        answer.status == StatusCode::ACCEPTED
    };
    let listed = async || {
        let answer = server.get("/api/v1/history/sessions").await;
        answer.status == StatusCode::OK
    };
    assert!(accepted(0).await && listed().await);

    for n in 1..4 {
        proxy.silence().await;
        wait::until("an alert that is accepted", SOON, async || {
            accepted(n).await
        })
        .await;
        wait::until("a list of sessions", SOON, listed).await;
    }
    let sessions: i64 = sqlx::query_scalar("select count(*) from alert_sessions")
        .fetch_one(db.pool())
        .await
        .unwrap();
    assert_eq!(sessions, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rejection_over_a_silent_connection_does_not_keep_the_api_from_stopping() {
    let db = TestDb::new().await;
    let proxy = SilentProxy::before(db.url()).await;
    let mut server = Server::over(pool_over(&proxy)).await;
    let mut lock = db.pool().begin().await.unwrap();
    sqlx::query("lock table rejected_alerts in access exclusive mode")
        .execute(&mut *lock)
        .await
        .unwrap();
    let mut unknown = alert(json!({}));
    unknown["alert_type"] = json!("unknown");
    let answer = server.post("/alerts", &unknown).await;
    assert_eq!(
        answer.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{answer:?}"
    );
    wait::until("the rejection to wait for the lock", SOON, async || {
        let waiting = "select count(*) from pg_locks
            where relation = 'rejected_alerts'::regclass and not granted";
        let waiting: i64 = sqlx::query_scalar(waiting)
            .fetch_one(db.pool())
            .await
            .unwrap();
        waiting > 0
    })
    .await;
    proxy.silence().await;
    lock.rollback().await.unwrap();
    server.stop.cancel();
    let served = tokio::time::timeout(SOON, &mut server.served).await;
    served.expect("the API stops").unwrap().unwrap();
}

fn pool_over(proxy: &SilentProxy) -> PgPool {
    let url = proxy.url();
    let settings = Settings::read(&Environment::from_pairs([("DATABASE_URL", url.as_str())]));
    tarsy_boot::connect(&settings.unwrap().database, "test").unwrap()
}
