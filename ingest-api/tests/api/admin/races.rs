//! Concurrent actions: Postgres decides, and only one of them takes effect.

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::json;
use sqlx::Row as _;
use tarsy_chain::SessionEnd;
use tarsy_model::{SessionId, SessionStatus};
use tarsy_store::chains::finish_sessions;
use tarsy_testing::wait;
use uuid::Uuid;

use super::care::update_triage;
use super::scenes::{CHAIN, accepted, ask, failed, logged, text, working};
use crate::server::{Answer, Server};

const AT_ONCE: usize = 12;

async fn all_ask(server: &Server, path: &str) -> Vec<Answer> {
    join_all((0..AT_ONCE).map(|_| ask(server, path))).await
}

fn won(answers: &[Answer], code: &str) -> usize {
    for lost in answers
        .iter()
        .filter(|answer| answer.status != StatusCode::ACCEPTED)
    {
        assert_eq!(
            (lost.status, &lost.body["code"]),
            (StatusCode::CONFLICT, &json!(code))
        );
    }
    answers
        .iter()
        .filter(|answer| answer.status == StatusCode::ACCEPTED)
        .count()
}

#[tokio::test]
async fn of_many_replays_at_once_one_is_made() {
    let server = Server::configured(CHAIN).await;
    let session = failed(&server, json!({})).await;
    let answers = all_ask(&server, &format!("/sessions/{session}/stages/1/replay")).await;
    assert_eq!(won(&answers, "session_running"), 1);
    assert_eq!(
        (
            server.count("stage_executions").await,
            server.count("jobs").await
        ),
        (4, 1)
    );
    assert_eq!(logged(&server).await.len(), 1);
}

#[tokio::test]
async fn of_many_cancellations_at_once_one_ends_the_session() {
    let server = Server::start().await;
    let (session, ..) = working(&server).await;
    let answers = all_ask(&server, &format!("/sessions/{session}/cancel")).await;
    assert_eq!(won(&answers, "session_ended"), 1);
    assert_eq!(logged(&server).await.len(), 1);
    let cancelled_events = "select count(*)::text from events where session_id = $1 and payload ->> 'status' = 'cancelled'
                and kind = 'session_status_change'";
    assert_eq!(text(&server, cancelled_events, session).await, "1");
}

/// Waits until a connection waits for a lock.
async fn until_lock_wait(server: &Server) {
    wait::until("a lock to be waited for", std::time::Duration::from_secs(20), async || {
        let waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        sqlx::query(waiting).fetch_one(server.db()).await.unwrap().get::<i64, _>(0) > 0
    })
    .await;
}

fn finish(session: Uuid) -> SessionEnd {
    SessionEnd {
        session_id: SessionId::from(session),
        status: SessionStatus::Failed,
        outcome: None,
        analysis_from: None,
        verified_by: Vec::new(),
        error: Some("by the chain".to_owned()),
    }
}

#[tokio::test]
async fn a_session_whose_end_comes_first_is_not_cancelled() {
    let server = Server::start().await;
    let (session, ..) = working(&server).await;
    let mut ending = server.db().begin().await.unwrap();
    assert_eq!(
        finish_sessions(&mut ending, &[finish(session)])
            .await
            .unwrap()
            .len(),
        1
    );
    let path = format!("/sessions/{session}/cancel");
    let (answer, ()) = tokio::join!(ask(&server, &path), async {
        until_lock_wait(&server).await;
        ending.commit().await.unwrap();
    });
    assert_eq!(
        (answer.status, &answer.body["code"]),
        (StatusCode::CONFLICT, &json!("session_ended"))
    );
    let status = "select status::text from alert_sessions where session_id = $1";
    assert_eq!(text(&server, status, session).await, "failed");
    assert_eq!(server.count("audit_log").await, 0);
}

#[tokio::test]
async fn a_cancelled_session_is_not_ended_again_by_its_chain_nor_its_stage_by_its_worker() {
    let server = Server::start().await;
    let (session, stage, job) = working(&server).await;
    // The worker is ending its stage. It has locked the job and needs the stage's row next.
    let mut ending = server.db().begin().await.unwrap();
    sqlx::query("delete from jobs where id = $1")
        .bind(job)
        .execute(&mut *ending)
        .await
        .unwrap();
    let path = format!("/sessions/{session}/cancel");
    let (answer, ()) = tokio::join!(ask(&server, &path), async {
        until_lock_wait(&server).await;
        let done = "update stage_executions set status = 'completed', completed_at_us = now_us() where execution_id = $1";
        sqlx::query(done)
            .bind(stage)
            .execute(&mut *ending)
            .await
            .unwrap();
        ending.commit().await.unwrap();
    });
    assert_eq!(
        answer.status,
        StatusCode::ACCEPTED,
        "no deadlock: {answer:?}"
    );
    let statuses = "select s.status || ' ' || s.outcome || ' ' || e.status from alert_sessions s join stage_executions e using (session_id)
                  where session_id = $1";
    assert_eq!(
        text(&server, statuses, session).await,
        "cancelled partial completed"
    );

    let mut conn = server.db().acquire().await.unwrap();
    assert_eq!(
        finish_sessions(&mut conn, &[finish(session)])
            .await
            .unwrap(),
        []
    );
}

#[tokio::test]
async fn a_session_that_is_acknowledged_while_it_is_deleted_stays_deleted() {
    let server = Server::start().await;
    let session = accepted(&server, json!({})).await;
    update_triage(&server, session, "ada", json!({ "assignee": "ada" })).await;
    // Retention has locked the session and needs its dependent rows next.
    let mut deleting = server.db().begin().await.unwrap();
    sqlx::query("select from alert_sessions where session_id = $1 for update")
        .bind(session)
        .execute(&mut *deleting)
        .await
        .unwrap();
    let seen = update_triage(&server, session, "ada", json!({ "acknowledged": true }));
    let (answer, ()) = tokio::join!(seen, async {
        until_lock_wait(&server).await;
        sqlx::query("delete from alert_sessions where session_id = $1")
            .bind(session)
            .execute(&mut *deleting)
            .await
            .expect("no deadlock");
        deleting.commit().await.unwrap();
    });
    assert_eq!(answer.status, StatusCode::NOT_FOUND, "{answer:?}");
    assert_eq!(server.count("session_care").await, 0);
}
