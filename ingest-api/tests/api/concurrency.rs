//! Concurrent requests, and a database that becomes unavailable.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::json;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tarsy_testing::wait;

use crate::server::{Server, alert};

/// Longest wait, on a busy machine.
const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn every_acknowledged_alert_of_a_burst_is_committed_once() {
    let server = Server::start().await;
    // On a busy machine the response may be 503; the sender then repeats the request.
    let refused = AtomicUsize::new(0);
    // Each alert is sent twice, so that duplicates are in the same batch.
    let posts = (0..200).map(|n| {
        let (server, refused) = (&server, &refused);
        wait::until("an answer but 503", LONG, async move || {
            let answer = server.post("/alerts", &alert(json!({"n": n / 2}))).await;
            let is_refused = answer.status == StatusCode::SERVICE_UNAVAILABLE;
            refused.fetch_add(is_refused.into(), Ordering::Relaxed);
            (!is_refused).then_some(answer)
        })
    });
    let answers = join_all(posts).await;
    for answer in &answers {
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    }
    let queued = answers
        .iter()
        .filter(|answer| answer.body["status"] == "queued")
        .count();
    // A refused alert may still have been committed. It is then a duplicate when it is sent again.
    let refused = refused.into_inner();
    let expected = 100_usize.saturating_sub(refused)..=100;
    assert!(expected.contains(&queued), "{queued}, {refused} refused");
    for table in ["alert_sessions", "jobs", "events"] {
        assert_eq!(server.count(table).await, 100, "{table}");
    }
}

#[tokio::test]
async fn beyond_the_backlog_limit_alerts_are_refused_until_there_is_room() {
    let server =
        Server::with(&[("OPENAI_API_KEY", "not-used"), ("TARSY_BACKLOG_LIMIT", "3")]).await;
    let mut accepted = 0;
    // An alert that is accepted during a count is counted twice until the next poll. So a refusal
    // may come too early, but never too late.
    let refused = wait::until("the limit", LONG, async || {
        let answer = server.post("/alerts", &alert(json!({"n": accepted}))).await;
        if answer.status == StatusCode::ACCEPTED {
            accepted += 1;
            return None;
        }
        (accepted == 3).then_some(answer)
    })
    .await;
    assert_eq!(accepted, 3);
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.retry_after.as_deref(), Some("5"));
    insta::assert_json_snapshot!(refused.body, @r#"
    {
      "type": "urn:tarsy:problem:overloaded",
      "title": "Too many pending sessions",
      "status": 503,
      "code": "overloaded",
      "detail": "the limit of 3 pending sessions is reached; nothing was accepted"
    }
    "#);

    sqlx::query("update alert_sessions set status = 'completed', completed_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    wait::until("room", LONG, async || {
        server
            .post("/alerts", &alert(json!({"n": "later"})))
            .await
            .status
            == StatusCode::ACCEPTED
    })
    .await;
}

#[tokio::test]
async fn a_database_that_is_away_is_503_with_retry_after_and_liveness_does_not_care() {
    let nowhere = PgConnectOptions::new()
        .host("127.0.0.1")
        .port(1)
        .username("nobody");
    let pool = PgPoolOptions::new()
        .acquire_timeout(Duration::from_millis(200))
        .connect_lazy_with(nowhere);
    let server = Server::over(pool).await;
    let answer = server.post("/alerts", &alert(json!({}))).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.retry_after.as_deref(), Some("5"));
    insta::assert_json_snapshot!(answer.body, @r#"
    {
      "type": "urn:tarsy:problem:database_unavailable",
      "title": "Database unavailable",
      "status": 503,
      "code": "database_unavailable",
      "detail": "the database is unavailable; retrying is safe"
    }
    "#);
    assert_eq!(server.get("/livez").await.status, StatusCode::OK);
    let ready = server.get("/readyz").await;
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ready.body["database"], false);
    let health = server.get("/health").await;
    assert_eq!(health.status, StatusCode::OK);
    assert_eq!(health.body["services"]["database"]["connected"], false);
    assert_eq!(
        server
            .get("/alerts/0190d2f4-0000-7000-8000-000000000000")
            .await
            .status,
        StatusCode::SERVICE_UNAVAILABLE
    );
}

#[tokio::test]
async fn connections_that_were_killed_are_replaced_without_a_lost_alert() {
    let server = Server::start().await;
    for n in 0..5 {
        server.post("/alerts", &alert(json!({"before": n}))).await;
        // Waits for each backend to end. One that still ends would break the next request instead.
        let kill = "select pg_terminate_backend(pid, 30000) from pg_stat_activity
                    where datname = current_database() and pid <> pg_backend_pid()";
        sqlx::query(kill).execute(server.db()).await.unwrap();
        let answer = server.post("/alerts", &alert(json!({"after": n}))).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    }
    assert_eq!(server.count("alert_sessions").await, 10);
    assert_eq!(server.count("jobs").await, 10);
}

#[tokio::test]
async fn a_request_to_end_lets_running_requests_finish() {
    let mut server = Server::start().await;
    // The lock makes the request wait inside its transaction.
    let mut lock = server.db().begin().await.unwrap();
    sqlx::query("lock table jobs in exclusive mode")
        .execute(&mut *lock)
        .await
        .unwrap();
    let (client, url) = (server.client.clone(), server.url("/alerts"));
    let body = alert(json!({"n": 1})).to_string();
    let request = tokio::spawn(
        client
            .post(url)
            .header("content-type", "application/json")
            .body(body)
            .send(),
    );
    wait::until("the request to wait for the lock", LONG, async || {
        // Only this database, because other tests wait for locks on the same server.
        let waiting = "select count(*) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'";
        let waiting: i64 = sqlx::query_scalar(waiting)
            .fetch_one(server.db())
            .await
            .unwrap();
        waiting > 0
    })
    .await;
    server.stop.cancel();
    wait::until("the listener to close", LONG, async || {
        reqwest::get(server.url("/livez")).await.is_err()
    })
    .await;
    lock.rollback().await.unwrap();
    assert_eq!(
        request.await.unwrap().unwrap().status(),
        StatusCode::ACCEPTED
    );
    (&mut server.served).await.unwrap().unwrap();
    assert_eq!(server.count("jobs").await, 1);
}
