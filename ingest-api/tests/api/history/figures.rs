//! Metrics, filter options and facets.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{execute, many};
use crate::server::Server;

#[tokio::test]
async fn figures_choices_and_active_sessions() {
    let server = Server::start().await;
    many(&server).await;
    let active = server.get("/api/v1/history/active-sessions").await.body;
    assert_eq!(
        (
            active["total_count"].clone(),
            active["active_sessions"].as_array().unwrap().len()
        ),
        (json!(2), 2)
    );
    let options = server.get("/api/v1/history/filter-options").await.body;
    assert_eq!(
        options["alert_types"],
        json!(["NamespaceTerminating", "NodeDown", "kubernetes"])
    );
    assert_eq!(
        options["agent_types"],
        json!([
            "chain:chain-0",
            "chain:chain-1",
            "chain:kubernetes-agent-chain"
        ])
    );
    assert_eq!(options["severities"], json!(["critical", "warning"]));
    execute(&server, "update alert_sessions set started_at_us = now_us() - 1000000, completed_at_us = now_us() where fingerprint in ('f4', 'f5')").await;
    let metrics = server.get("/api/v1/history/metrics?hours=2").await.body;
    let named = [
        "total_sessions",
        "completed_sessions",
        "failed_sessions",
        "success_rate",
    ]
    .map(|name| metrics[name].clone());
    assert_eq!(named, [json!(2), json!(1), json!(1), json!(0.5)]);
    assert_eq!(metrics["by_alert_type"], json!({"kubernetes": 2}));
    let health = server.get("/api/v1/history/health").await.body;
    assert_eq!(
        (&health["status"], &health["details"]["retention_days"]),
        (&json!("healthy"), &json!(90))
    );
}

#[tokio::test]
async fn figures_of_past_hours_are_summed_up_and_stay_true() {
    let server = Server::start().await;
    many(&server).await;
    // One session every two hours, and two that are still running.
    execute(
        &server,
        "update alert_sessions set started_at_us = now_us() - (alert_data ->> 'number')::bigint * 7200000000 - 60000000,
             completed_at_us = case when completed_at_us is not null
                 then now_us() - (alert_data ->> 'number')::bigint * 7200000000 - 50000000 end",
    )
    .await;
    let metrics = async || {
        let mut answer = server.get("/api/v1/history/metrics?hours=48").await.body;
        answer["from_us"] = json!(0);
        answer
    };
    let read = metrics().await;
    assert_eq!(
        (&read["total_sessions"], &read["failed_sessions"]),
        (&json!(25), &json!(4)),
        "{read}"
    );
    let sum_up = async || {
        let mut conn = server.db().acquire().await.unwrap();
        while tarsy_store::history::sum_up_hours(&mut conn, 10)
            .await
            .unwrap()
            >= 10
        {}
    };
    sum_up().await;
    assert!(server.count("session_hours").await >= 28);
    assert_eq!(metrics().await, read, "sums say the same as the sessions");

    // A session of a past hour that is replayed counts with its current status.
    let status_of = async |status: &str| {
        let update = format!(
            "update alert_sessions set status = '{status}',
                 completed_at_us = case when '{status}' = 'failed' then started_at_us + 10000000 end where fingerprint = 'f5'"
        );
        execute(&server, &update).await;
    };
    status_of("in_progress").await;
    let again = metrics().await;
    assert_eq!(
        (
            &again["total_sessions"],
            &again["failed_sessions"],
            &again["active_sessions"]
        ),
        (&json!(25), &json!(3), &json!(3)),
        "{again}"
    );
    status_of("failed").await;
    assert_eq!(metrics().await, read);

    // If a session of a past hour ends late, its hour is counted anew; no other hour is read again.
    execute(
        &server,
        "update alert_sessions set status = 'completed', completed_at_us = now_us(), started_at_us = started_at_us - 36000000000 where fingerprint = 'live1';
         update session_hours set sessions = sessions + 100 where hour_us = (select max(hour_us) from session_hours);
         update alert_sessions set completed_at_us = now_us() where fingerprint = 'live1'",
    )
    .await;
    sum_up().await;
    let late = metrics().await;
    let number = |metrics: &Value, name: &str| metrics[name].as_i64().unwrap();
    assert_eq!(
        number(&late, "total_sessions"),
        number(&read, "total_sessions") + 100
    );
    assert_eq!(
        number(&late, "completed_sessions") % 100,
        number(&read, "completed_sessions") + 1
    );
}

#[tokio::test]
async fn facets_count_what_each_choice_would_leave() {
    let server = Server::start().await;
    many(&server).await;
    let facets = async |query: &str| {
        let answer = server.get(&format!("/api/v1/history/facets?{query}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{query}: {answer:?}");
        answer.body
    };
    let all = facets("").await;
    assert_eq!(
        all["status"],
        json!({"values": {"completed": 24, "failed": 6, "in_progress": 1, "pending": 1}, "is_exact": true})
    );
    assert_eq!(
        all["alert_type"]["values"],
        json!({"NodeDown": 10, "kubernetes": 22})
    );
    // A filter narrows the other facets, but not its own.
    let failed = facets("status=failed").await;
    assert_eq!(failed["status"], all["status"]);
    assert_eq!(
        failed["severity"]["values"],
        json!({"critical": 3, "warning": 3})
    );
    assert_eq!(
        facets("alert_type=NodeDown").await["outcome"]["values"],
        json!({"completed": 8, "failed": 2})
    );
    let refused = server.get("/api/v1/history/facets?colour=red").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn facets_follow_what_happens() {
    let server = Server::start().await;
    many(&server).await;
    let failed = async || {
        let body = server.get("/api/v1/history/facets").await.body;
        body["status"]["values"]["failed"].as_i64()
    };
    assert_eq!(failed().await, Some(6));
    let end = "update alert_sessions set status = 'failed', outcome = 'failed', completed_at_us = now_us()
               where completed_at_us is null";
    execute(&server, end).await;
    let soon = std::time::Duration::from_secs(30);
    tarsy_testing::wait::until("both that ended to be counted", soon, async || {
        (failed().await == Some(8)).then_some(())
    })
    .await;
}
