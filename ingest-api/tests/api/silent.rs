//! Postgres stops responding: open connections stay open and never answer again, while new ones work.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::json;
use tarsy_config::{Environment, Settings};
use tarsy_testing::{SilentProxy, TestDb, wait};

use crate::server::{Server, alert};

const SOON: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn alerts_are_accepted_and_history_is_read_over_new_connections() {
    let db = TestDb::new().await;
    let proxy = SilentProxy::before(db.url()).await;
    let settings = Settings::read(&Environment::from_pairs([(
        "DATABASE_URL",
        proxy.url().as_str(),
    )]));
    let pool = tarsy_boot::connect(&settings.unwrap().database, "test").unwrap();
    let server = Server::over(pool).await;
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
