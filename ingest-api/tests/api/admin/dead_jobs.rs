//! Dead jobs.

use serde_json::json;
use uuid::Uuid;

use super::scenes::{ADMIN, accepted, ask, dead, logged, text};
use crate::server::Server;

#[tokio::test]
async fn dead_jobs_are_listed_in_pages_and_shown_with_their_payload() {
    let server = Server::start().await;
    let session = accepted(&server, json!({})).await;
    let old = dead(server.db(), Uuid::now_v7(), None, 60.0).await;
    let new = dead(server.db(), session, None, 1.0).await;
    let page = server.get(&format!("{ADMIN}/dead-jobs?limit=1")).await.body;
    assert_eq!(page["dead_jobs"][0]["job_id"], json!(new));
    assert_eq!(page["dead_jobs"][0]["session_id"], json!(session));
    assert!(page["dead_jobs"][0].get("payload").is_none());
    let next = page["next"].as_str().unwrap();
    let page = server
        .get(&format!("{ADMIN}/dead-jobs?limit=1&before={next}"))
        .await
        .body;
    assert_eq!(
        (&page["dead_jobs"][0]["job_id"], &page["next"]),
        (&json!(old), &json!(null))
    );

    let shown = server.get(&format!("{ADMIN}/dead-jobs/{old}")).await.body;
    assert!(shown["created_at_us"].as_i64().unwrap() < shown["died_at_us"].as_i64().unwrap());
    for (member, value) in [
        ("job_id", json!(old)),
        ("queue", json!("chain")),
        ("kind", json!("chain")),
        ("session_id", json!(null)),
        ("reason", json!("exhausted")),
        ("error", json!("no luck")),
        ("attempts", json!(20)),
        ("max_attempts", json!(20)),
        ("crashes", json!(1)),
        ("snoozes", json!(2)),
        ("payload", json!({"a": 1})),
    ] {
        assert_eq!(shown[member], value, "{member}");
    }
    let none = server
        .get(&format!("{ADMIN}/dead-jobs?reason=undecodable&queue=chain"))
        .await
        .body;
    assert_eq!(none["dead_jobs"], json!([]));
    for bad in [
        "reason=odd",
        "limit=0",
        "limit=x",
        "before=x",
        "before=99999999999999999999_x",
        "odd=1",
        "queue=%00",
    ] {
        let refused = server.get(&format!("{ADMIN}/dead-jobs?{bad}")).await;
        assert_eq!(
            (refused.status.as_u16(), &refused.body["code"]),
            (400, &json!("invalid_parameter")),
            "{bad}"
        );
    }
}

#[tokio::test]
async fn a_dead_job_is_put_back_or_thrown_away_once() {
    let server = Server::start().await;
    let (back, away) = (
        dead(server.db(), Uuid::now_v7(), None, 1.0).await,
        dead(server.db(), Uuid::now_v7(), None, 1.0).await,
    );
    assert_eq!(
        ask(&server, &format!("/dead-jobs/{back}/requeue"))
            .await
            .status,
        200
    );
    assert_eq!(
        ask(&server, &format!("/dead-jobs/{away}/discard"))
            .await
            .status,
        200
    );
    let job = "select concat_ws(' ', queue, state, attempts, epoch) from jobs where id = $1";
    assert_eq!(text(&server, job, back).await, "chain ready 0 8");
    assert_eq!(
        (server.count("dead_jobs").await, server.count("jobs").await),
        (0, 1)
    );
    for path in [
        format!("{back}/requeue"),
        format!("{away}/discard"),
        "x/requeue".to_owned(),
    ] {
        let answer = ask(&server, &format!("/dead-jobs/{path}")).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body["code"]),
            (404, &json!("dead_job_not_found"))
        );
    }
    let actions: Vec<_> = logged(&server).await;
    assert_eq!(
        actions,
        [
            ("dead_job.requeue".to_owned(), back.to_string()),
            ("dead_job.discard".to_owned(), away.to_string())
        ]
    );
}

#[tokio::test]
async fn a_dead_job_stays_while_a_live_one_has_its_key_or_a_session_needs_it() {
    let server = Server::start().await;
    let session = accepted(&server, json!({})).await;
    sqlx::query("update jobs set unique_key = 'k'")
        .execute(server.db())
        .await
        .unwrap();
    let twin = dead(server.db(), session, Some("k"), 1.0).await;
    let taken = ask(&server, &format!("/dead-jobs/{twin}/requeue")).await;
    assert_eq!(
        (taken.status.as_u16(), &taken.body["code"]),
        (409, &json!("job_key_taken"))
    );

    sqlx::query("delete from jobs")
        .execute(server.db())
        .await
        .unwrap();
    let needed = ask(&server, &format!("/dead-jobs/{twin}/discard")).await;
    assert_eq!(
        (needed.status.as_u16(), &needed.body["code"]),
        (409, &json!("job_needed"))
    );
    assert_eq!(server.count("audit_log").await, 0);

    ask(&server, &format!("/sessions/{session}/cancel")).await;
    assert_eq!(
        ask(&server, &format!("/dead-jobs/{twin}/discard"))
            .await
            .status,
        200
    );
}
