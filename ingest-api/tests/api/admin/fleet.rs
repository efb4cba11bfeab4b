//! Queues and workers.

use serde_json::json;
use uuid::Uuid;

use super::scenes::{ADMIN, CHAIN, accepted, ask, logged, text, working};
use crate::server::Server;

#[tokio::test]
async fn queues_show_their_depth_and_are_paused_and_resumed() {
    let server = Server::configured(CHAIN).await;
    accepted(&server, json!({})).await;
    let queues = server.get(&format!("{ADMIN}/queues")).await.body;
    let names: Vec<_> = queues["queues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|q| q["queue"].clone())
        .collect();
    assert_eq!(
        names,
        ["chain", "stage:default", "stage:gpu", "webhook"],
        "those configured are there before any job"
    );
    let chain = &queues["queues"][0];
    assert_eq!(
        (&chain["ready"], &chain["workers"], &chain["paused"]),
        (&json!(1), &json!(0), &json!(false))
    );
    assert!(
        chain["oldest_ready_seconds"].is_number()
            && queues["queues"][1]["oldest_ready_seconds"].is_null()
    );

    let paused = ask(&server, "/queues/stage:gpu/pause").await.body;
    assert_eq!(
        (&paused["paused"], &paused["paused_by"], &paused["reason"]),
        (&json!(true), &json!("ada"), &json!("an outage"))
    );
    assert!(paused["paused_at_us"].is_i64());
    let resumed = ask(&server, "/queues/stage:gpu/resume").await.body;
    assert_eq!(
        (&resumed["paused"], &resumed["reason"]),
        (&json!(false), &json!(null))
    );
    let unknown = ask(&server, "/queues/stage:cpu/pause").await;
    assert_eq!(
        (unknown.status.as_u16(), &unknown.body["code"]),
        (404, &json!("queue_not_found"))
    );
    assert_eq!(unknown.body["known_queues"], json!(names));
    let queue = "stage:gpu".to_owned();
    assert_eq!(
        logged(&server).await,
        [
            ("queue.pause".to_owned(), queue.clone()),
            ("queue.resume".to_owned(), queue)
        ]
    );
}

#[tokio::test]
async fn workers_show_what_they_run_and_are_asked_to_drain() {
    let server = Server::start().await;
    let (session, stage, job) = working(&server).await;
    sqlx::query(
        "insert into workers (id, role, host, pid, version, queues, slots, lock_key)
         select owner, 'stage-worker', 'h', 1, '9.9', '{stage:default}', 5, 42 from jobs where id = $1",
    )
    .bind(job)
    .execute(server.db())
    .await
    .unwrap();
    let workers = server.get(&format!("{ADMIN}/workers")).await.body;
    let worker = &workers["workers"][0];
    assert_eq!(
        (
            &worker["role"],
            &worker["slots"],
            &worker["alive"],
            &worker["drain_requested"]
        ),
        (
            &json!("stage-worker"),
            &json!(5),
            &json!(false),
            &json!(false)
        ),
        "nobody holds its lock"
    );
    let running = &worker["running"][0];
    assert_eq!(
        (
            &running["job_id"],
            &running["subject"],
            &running["session_id"]
        ),
        (&json!(job), &json!(stage), &json!(session))
    );
    assert_eq!(
        (&running["stage_index"], &running["stage_name"]),
        (&json!(0), &json!("analysis"))
    );
    assert!(running["expires_in_seconds"].as_f64().unwrap() > 0.0);

    let id: Uuid = worker["worker_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(
        ask(&server, &format!("/workers/{id}/drain")).await.status,
        202
    );
    let drain_requested = "select drain_requested::text from workers where id = $1";
    assert_eq!(text(&server, drain_requested, id).await, "true");
    let queues = server.get(&format!("{ADMIN}/queues")).await.body;
    let stage_queue = queues["queues"]
        .as_array()
        .unwrap()
        .iter()
        .find(|q| q["queue"] == "stage:default")
        .unwrap();
    assert_eq!(
        (&stage_queue["running"], &stage_queue["workers"]),
        (&json!(1), &json!(0))
    );
    for unknown in [Uuid::now_v7().to_string(), "x".to_owned()] {
        let refused = ask(&server, &format!("/workers/{unknown}/drain")).await;
        assert_eq!(
            (refused.status.as_u16(), &refused.body["code"]),
            (404, &json!("worker_not_found"))
        );
    }
    assert_eq!(
        logged(&server).await,
        [("worker.drain".to_owned(), id.to_string())]
    );
}
