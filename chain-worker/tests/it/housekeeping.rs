//! Tests that every duty continues after the connection that it used fell silent.

use std::time::Duration;

use serde_json::json;
use tarsy_model::SessionId;
use tarsy_testing::{SilentProxy, TestDb, wait};
use tokio_util::sync::CancellationToken;

use crate::schedule::due;
use crate::silent::{accept, service};

/// Longer than a duty waits for a silent connection.
const LIMIT: Duration = Duration::from_secs(90);

/// Waits until the session has traits under its start time.
async fn until_traits(db: &TestDb, session: SessionId) {
    let kept = "select exists (select from session_traits t join alert_sessions s using (session_id, started_at_us)
                               where session_id = $1)";
    wait::until("the session's traits", LIMIT, async || {
        let kept = sqlx::query_scalar::<_, bool>(kept).bind(session.as_uuid());
        kept.fetch_one(db.pool()).await.unwrap()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_duty_ends_with_a_silent_connection() {
    let db = TestDb::new().await;
    let proxy = SilentProxy::before(db.url()).await;
    let stop = CancellationToken::new();
    let service = service(&db, proxy.url().as_str());
    let running = tokio::spawn(service.run(stop.clone(), CancellationToken::new()));
    until_traits(&db, accept(&db, &json!({})).await).await;

    // The connection falls silent while two duties wait for the reply to a statement.
    let mut locks = db.pool().begin().await.unwrap();
    let lock = "lock table session_traits_cursor, unschedulable in access exclusive mode";
    sqlx::query(lock).execute(&mut *locks).await.unwrap();
    let waiting = "select count(*) >= 2 from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock'";
    wait::until("two duties that wait", LIMIT, async || {
        let waiting = sqlx::query_scalar::<_, bool>(waiting).fetch_one(db.pool());
        waiting.await.unwrap()
    })
    .await;
    proxy.silence().await;
    locks.rollback().await.unwrap();
    let session = accept(&db, &json!({})).await;
    let waits = due(&db, "nowhere", Some(Duration::from_millis(1))).await;
    // As if this session started a minute ago, but was committed after the passes had read that time.
    let late = accept(&db, &json!({})).await;
    let started =
        "update alert_sessions set started_at_us = started_at_us - 60000000 where session_id = $1";
    sqlx::query(started)
        .bind(late.as_uuid())
        .execute(db.pool())
        .await
        .unwrap();

    until_traits(&db, session).await;
    let failed = "select error_class from stage_executions where execution_id = $1";
    wait::until("the stage that no worker can run", LIMIT, async || {
        let failed = sqlx::query_scalar(failed).bind(waits.as_uuid());
        let class: Option<String> = failed.fetch_one(db.pool()).await.unwrap();
        class.is_some_and(|class| class == "unschedulable")
    })
    .await;
    until_traits(&db, late).await;
    stop.cancel();
    running.await.unwrap().unwrap();
}
