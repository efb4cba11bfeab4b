//! Which data of rejected alerts is stored, and how much.

use serde_json::{Value, json};
use tarsy_store::rejected_alerts::NewRejection;
use uuid::Uuid;

use super::{REJECTED, counted, kept, server};
use crate::server::{IntoAnswer as _, Server, alert};

#[tokio::test]
async fn a_secret_of_a_rejected_alert_is_not_kept() {
    let server = Server::start().await;
    let mut body = alert(json!({"password": "hunter2-and-more"}));
    body["alert_type"] = json!("Nope");
    assert_eq!(server.post("/alerts", &body).await.status, 422);
    let kept = kept(&server, 1).await;
    assert_eq!(kept[0]["is_whole"], false);
    let all: String = sqlx::query_scalar("select string_agg(r::text, '') from rejected_alerts r")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert!(all.contains("[MASKED") && !all.contains("hunter2"), "{all}");

    let id = kept[0]["rejection_id"].as_str().unwrap();
    let submit = format!("{REJECTED}/{id}/submit");
    let refused = server.post(&submit, &json!({"reason": "a test"})).await;
    assert_eq!(refused.status, 409, "{refused:?}");
    assert_eq!(refused.body["code"], "body_not_whole");
}

#[tokio::test]
async fn a_flood_of_strangers_is_counted_and_not_written_down() {
    let server = server().await;
    let many = 200;
    let large = "x".repeat(20_000);
    for _ in 0..many {
        let request = server.post_raw("/webhooks/grafana", format!("{{\"a\": \"{large}\"}}"));
        let answer = request.send().await.unwrap().into_answer().await;
        assert_eq!(answer.status, 401);
    }
    assert_eq!(
        counted(&server, "grafana", "signature_not_valid").await,
        many
    );
    let kept = kept(&server, 5).await;
    let longest: i32 = sqlx::query_scalar("select max(octet_length(body)) from rejected_alerts")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert!((1..=4096).contains(&longest), "{longest}");
    assert!(
        kept.iter().all(|one| one["body_bytes"] == 20_009),
        "{kept:?}"
    );
    let figures = server.get("/metrics").await.body;
    let name = "tarsy_rejected_alerts_not_kept_total{reason=\"flood\",source=\"grafana\"} ";
    let mut lines = figures.as_str().unwrap().lines();
    let flood = lines.find_map(|line| line.strip_prefix(name)).unwrap();
    let flood: u64 = flood.parse().unwrap();
    assert!(flood > many / 2 && flood < many, "{flood}");
}

fn rejection(source: &str, is_proven: bool) -> NewRejection {
    NewRejection {
        rejection_id: Uuid::now_v7(),
        source: source.to_owned(),
        is_proven,
        path: format!("/webhooks/{source}"),
        code: "malformed_json".to_owned(),
        status: 400,
        detail: String::new(),
        alerts: Value::Array(Vec::new()),
        author: None,
        content_type: String::new(),
        headers: json!({}),
        body: String::new(),
        body_bytes: None,
        is_whole: false,
    }
}

#[tokio::test]
async fn the_newest_of_each_source_stay_and_strangers_displace_no_other_source() {
    let server = Server::start().await;
    let mut conn = server.db().acquire().await.unwrap();
    for _ in 0..10 {
        let group = [
            rejection("a", true),
            rejection("a", false),
            rejection("b", false),
        ];
        tarsy_store::rejected_alerts::keep_rejections(&mut conn, &group, 4, 2)
            .await
            .unwrap();
    }
    let rows: Vec<(String, bool, i64)> = sqlx::query_as(
        "select source, is_proven, count(*) from rejected_alerts group by 1, 2 order by 1, 2",
    )
    .fetch_all(&mut *conn)
    .await
    .unwrap();
    // One more than the limits (4 and 2) allow, because of the group that was written last.
    let expected = [("a", false, 3), ("a", true, 5), ("b", false, 3)];
    assert_eq!(
        rows,
        expected.map(|(source, proven, rows)| (source.to_owned(), proven, rows))
    );

    let left = async |age: u64| {
        let mut conn = server.db().acquire().await.unwrap();
        let age = std::time::Duration::from_secs(age);
        tarsy_store::rejected_alerts::prune_rejections(&mut conn, age, 100)
            .await
            .unwrap();
        server.count("rejected_alerts").await
    };
    assert_eq!(left(3_600).await, 11);
    sqlx::query("update rejected_alerts set received_at_us = 0 where source = 'a'")
        .execute(&mut *conn)
        .await
        .unwrap();
    assert_eq!(left(3_600).await, 3);
}
