//! Rows whose declared length exceeds their data. `PgBouncer` passes on such rows when it loses its
//! server connection in the middle of a row. sqlx panics at them.

mod tearing;

use reqwest::StatusCode;
use serde_json::json;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use tarsy_model::SessionId;
use tarsy_testing::{TestDb, wait};

use self::tearing::Tearing;
use crate::live::watcher::{PATIENCE, Watcher, publish};
use crate::server::{Server, alert};

/// Number of torn rows: more than one for each background loop of the service.
const ENOUGH: usize = 8;

#[tokio::test]
async fn torn_rows_end_what_reads_them_and_nothing_else() {
    let db = TestDb::new().await;
    let options: PgConnectOptions = db.url().parse().unwrap();
    let tearing = Tearing::before(options.get_port()).await;
    // Without TLS the proxy can parse the messages of the server.
    let options = options
        .host("127.0.0.1")
        .port(tearing.port())
        .ssl_mode(PgSslMode::Disable);
    let pool = PgPoolOptions::new().connect_with(options).await.unwrap();
    let server = Server::over(pool).await;
    submit(&server, 1).await;
    let mut watcher = Watcher::connect(&server, "ada").await;
    let session = SessionId::generate();
    watcher.subscribe(&format!("session_{session}")).await;
    publish(db.pool(), session, [1]).await;
    assert_eq!(watcher.next_number().await, 1);

    tearing.tear(true);
    let failed = server.get("/api/v1/history/sessions").await;
    assert_eq!(failed.status, 500, "{failed:?}");
    assert_eq!(failed.body["code"], "internal");
    let before = tearing.torn();
    wait::until("torn rows", PATIENCE, async || {
        tearing.torn() > before + ENOUGH
    })
    .await;
    tearing.tear(false);

    publish(db.pool(), session, [2]).await;
    assert_eq!(watcher.next_number().await, 2);
    wait::until("a list", PATIENCE, async || {
        server.get("/api/v1/history/sessions").await.status == 200
    })
    .await;
    submit(&server, 2).await;
}

async fn submit(server: &Server, number: i64) {
    let accepted = server
        .post("/alerts", &alert(json!({"number": number})))
        .await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED, "{accepted:?}");
}
