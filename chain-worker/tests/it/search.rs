//! Tests search documents that an older version wrote.

use std::time::Duration;

use serde_json::json;
use tarsy_testing::{TestDb, wait};
use tokio_util::sync::CancellationToken;

use crate::silent::{accept, service};

const SOON: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_of_older_versions_are_written_again_without_secrets() {
    let db = TestDb::new().await;
    let data = json!({"pod": "cart", "password": "made-up-secret-4711"});
    for _ in 0..3 {
        accept(&db, &data).await;
    }
    // As an older version left them: unmasked, and the cursor has passed them.
    for statement in [
        "insert into session_search (session_id, started_at_us, document)
         select session_id, started_at_us, fold_case(alert_data::text) from alert_sessions",
        "update search_cursor set started_at_us = now_us() + 3600000000, completed_at_us = now_us() + 3600000000",
    ] {
        sqlx::query(statement).execute(db.pool()).await.unwrap();
    }

    let (service, stop) = (service(&db, db.url()), CancellationToken::new());
    let running = tokio::spawn(service.run(stop.clone(), CancellationToken::new()));
    wait::until("the documents to be masked", SOON, async || {
        let masked = "select count(*) from session_search where document like '%cart%' and document not like '%4711%'";
        let masked: i64 = sqlx::query_scalar(masked).fetch_one(db.pool()).await.unwrap();
        masked == 3
    })
    .await;
    stop.cancel();
    running.await.unwrap().unwrap();
}
