//! History is read from a streaming standby, and from the primary if the standby is behind,
//! unavailable or fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_testing::{Pair, SilentProxy, wait};

use crate::server::{Server, alert};

const SOON: Duration = Duration::from_secs(60);
const SESSIONS: &str = "/api/v1/history/sessions";

/// Returns the value of a metric: how often history was read from a server, or from the primary for a reason.
async fn counted(server: &Server, name: &str) -> f64 {
    let metrics = server.get("/metrics").await;
    let text = metrics.body.as_str().unwrap();
    let line = text.lines().find(|line| line.starts_with(name));
    let line = line.unwrap_or_else(|| panic!("{name} in\n{text}"));
    line.rsplit_once(' ').unwrap().1.parse().unwrap()
}

const REPLICA: &str = r#"tarsy_history_reads_total{server="replica"}"#;

fn fallback(reason: &str) -> String {
    format!(r#"tarsy_history_fallbacks_total{{reason="{reason}"}}"#)
}

async fn health(server: &Server) -> Value {
    server.get("/health").await.body["services"]["history_replica"].clone()
}

/// Waits until history is read from the replica again.
async fn is_read_from_the_replica(server: &Server) {
    wait::until("a read from the replica", SOON, async || {
        let before = counted(server, REPLICA).await;
        assert_eq!(server.get(SESSIONS).await.status, StatusCode::OK);
        counted(server, REPLICA).await > before
    })
    .await;
}

/// Returns whether a Postgres server has connections that read history.
async fn serves_history(pool: &PgPool) -> bool {
    let query =
        "select count(*) from pg_stat_activity where application_name = 'ingest-api history'";
    let sessions: i64 = sqlx::query_scalar(query).fetch_one(pool).await.unwrap();
    sessions > 0
}

/// Submits an alert and reads its session at once.
async fn post_and_read(server: &Server, n: usize) {
    let posted = server.post("/alerts", &alert(json!({"n": n}))).await;
    assert_eq!(posted.status, StatusCode::ACCEPTED, "{posted:?}");
    let id = posted.body["session_id"].as_str().unwrap();
    let read = server.get(&format!("{SESSIONS}/{id}")).await;
    assert_eq!(read.status, StatusCode::OK, "session {n}: {read:?}");
    let listed = server.get(&format!("{SESSIONS}?page_size=1")).await;
    assert_eq!(listed.body["sessions"][0]["session_id"], id, "{listed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn history_comes_from_the_replica_and_holds_what_was_just_written() {
    let Some((pair, db)) = Pair::start().await else {
        return;
    };
    let server = Server::reading_from(db, &pair.standby_url()).await;
    is_read_from_the_replica(&server).await;
    let replica = pair.standby_pool().await;
    assert!(serves_history(&replica).await && !serves_history(server.db()).await);
    assert_eq!(health(&server).await["status"], "healthy");

    // Streaming is delayed, but no reader sees less than the primary has.
    let before = counted(&server, REPLICA).await;
    for n in 0..50 {
        post_and_read(&server, n).await;
    }
    let read = counted(&server, REPLICA).await - before;
    assert!(read > 0.0, "{read} reads from the replica");

    // While replay is paused, the lag is reported. Reads neither wait for replay nor miss anything.
    let pause = |what: &'static str| sqlx::query(what).execute(&replica);
    pause("select pg_wal_replay_pause()").await.unwrap();
    for n in 50..55 {
        post_and_read(&server, n).await;
    }
    let shown = wait::until("the lag to be told", SOON, async || {
        let health = health(&server).await;
        (health["status"] == "behind").then_some(health)
    })
    .await;
    assert!(shown["lag_seconds"].as_f64() > Some(5.0), "{shown}");
    assert!(shown["lag_bytes"].as_u64() > Some(0), "{shown}");
    assert_eq!(server.get("/health").await.body["status"], "degraded");
    assert!(counted(&server, "tarsy_history_replica_lag_seconds").await > 5.0);
    assert!((counted(&server, "tarsy_history_replica_up").await - 1.0).abs() < 0.1);
    assert!(counted(&server, &fallback("behind")).await > 0.0);
    post_and_read(&server, 55).await;

    pause("select pg_wal_replay_resume()").await.unwrap();
    is_read_from_the_replica(&server).await;
    wait::until("the lag to be gone", SOON, async || {
        health(&server).await["status"] == "healthy"
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_dies_or_falls_silent_costs_no_reader_an_answer() {
    let Some((mut pair, db)) = Pair::start().await else {
        return;
    };
    let proxy = SilentProxy::before(&pair.standby_url()).await;
    let server = Server::reading_from(db, &proxy.url()).await;
    is_read_from_the_replica(&server).await;
    let unavailable = async || {
        assert_eq!(server.get(SESSIONS).await.status, StatusCode::OK);
        let health = health(&server).await;
        (health["status"] == "unavailable").then_some(health)
    };

    // Existing connections never answer, but later ones do. The pool does not test a connection
    // that was used just now before it is used again.
    let failed = fallback("failed");
    wait::until("a read that was carried out again", SOON, async || {
        is_read_from_the_replica(&server).await;
        proxy.silence().await;
        assert_eq!(server.get(SESSIONS).await.status, StatusCode::OK);
        counted(&server, &failed).await > 0.0
    })
    .await;
    is_read_from_the_replica(&server).await;

    tokio::task::block_in_place(|| pair.standby.kill().unwrap());
    let shown = wait::until("the loss to be told", SOON, unavailable).await;
    assert!(shown["message"].as_str().is_some(), "{shown}");
    assert!(counted(&server, "tarsy_history_replica_up").await < 0.5);
    post_and_read(&server, 1).await;
    tokio::task::block_in_place(|| pair.standby.start_again().unwrap());
    is_read_from_the_replica(&server).await;

    // After its promotion it is not a standby any more.
    tokio::task::block_in_place(|| pair.standby.promote().unwrap());
    let shown = wait::until("the promotion to be told", SOON, unavailable).await;
    assert_eq!(shown["message"], "is not a standby");
    post_and_read(&server, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_conflicts_with_recovery_is_carried_out_on_the_primary() {
    let Some((pair, db)) = Pair::start().await else {
        return;
    };
    let replica = pair.standby_pool().await;
    for set in [
        "alter system set max_standby_streaming_delay = 0",
        "select pg_reload_conf()",
    ] {
        sqlx::query(set).execute(&replica).await.unwrap();
    }
    let primary = db.pool().clone();
    // Enough rows that a read takes long enough to conflict with a lock.
    sqlx::query(
        "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity,
             alert_timestamp_us, source, fingerprint, status, outcome, completed_at_us, chain_id, chain_definition)
         select gen_random_uuid(), gen_random_uuid(), 't', '{}', 'warning', 1, 'api', 'f' || n, 'completed',
             'partial', now_us() - n, 'c', '{}' from generate_series(0, 5000) n",
    )
    .execute(&primary)
    .await
    .unwrap();
    let server = Arc::new(Server::reading_from(db, &pair.standby_url()).await);
    is_read_from_the_replica(&server).await;

    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let (server, done) = (Arc::clone(&server), Arc::clone(&done));
            tokio::spawn(async move {
                while !done.load(Ordering::Relaxed) {
                    let read = server.get("/api/v1/history/metrics?hours=720").await;
                    assert_eq!(read.status, StatusCode::OK, "{read:?}");
                }
            })
        })
        .collect();
    wait::until("a read that met a lock", SOON, async || {
        // When the standby replays the lock, it cancels all queries that read the table.
        let mut lock = primary.begin().await.unwrap();
        sqlx::query("lock table alert_sessions in access exclusive mode")
            .execute(&mut *lock)
            .await
            .unwrap();
        lock.commit().await.unwrap();
        let conflicts = "select coalesce(sum(confl_lock + confl_snapshot), 0)::int8 from pg_stat_database_conflicts";
        let conflicts: i64 = sqlx::query_scalar(conflicts).fetch_one(&replica).await.unwrap();
        conflicts > 0 && counted(&server, &fallback("failed")).await > 0.0
    })
    .await;
    done.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await.unwrap();
    }
}

#[tokio::test]
async fn without_a_replica_nothing_is_reported_about_one() {
    let server = Server::start().await;
    assert_eq!(health(&server).await, Value::Null);
    let metrics = server.get("/metrics").await;
    assert!(!metrics.body.as_str().unwrap().contains("tarsy_history_"));
}
