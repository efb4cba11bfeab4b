//! Lists: filters, sorts, pages, cursors.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{SESSIONS, found, many};
use crate::server::Server;

#[tokio::test]
async fn lists_are_filtered_sorted_and_paged() {
    let server = Server::start().await;
    many(&server).await;
    let (total, newest) = found(&server, "page_size=5").await;
    assert_eq!((total, newest), (32, vec![100, 100, 30, 29, 28]));
    assert_eq!(
        found(&server, "status=pending&status=in_progress").await,
        (2, vec![100, 100])
    );
    assert_eq!(
        found(&server, "status=failed").await,
        (6, vec![30, 25, 20, 15, 10, 5])
    );
    assert_eq!(
        found(&server, "status=completed&status=failed&page_size=1").await,
        (30, vec![30])
    );
    assert_eq!(
        found(&server, "outcome=failed&severity=critical").await,
        (3, vec![30, 20, 10])
    );
    assert_eq!(
        found(&server, "alert_type=NodeDown&chain_id=chain-1").await,
        (5, vec![27, 21, 15, 9, 3])
    );
    assert_eq!(
        found(&server, "agent_type=chain:chain-1&page_size=2").await,
        (15, vec![29, 27])
    );
    assert_eq!(
        found(
            &server,
            "start_date_us=1700000003000000&end_date_us=1700000006000000"
        )
        .await,
        (3, vec![5, 4, 3])
    );
    assert_eq!(
        found(
            &server,
            "start_date=2023-11-14T22:13:23Z&end_date=2023-11-14T23:13:26%2B01:00"
        )
        .await,
        (3, vec![5, 4, 3])
    );
    assert_eq!(
        found(&server, "sort_by=duration_ms&status=completed&page_size=2")
            .await
            .1,
        [1, 2]
    );
    assert_eq!(
        found(&server, "sort_by=duration_ms&sort_order=asc&page_size=2")
            .await
            .1,
        [30, 29]
    );
    assert_eq!(
        found(&server, "sort_by=completed_at_us&page_size=2")
            .await
            .1,
        [30, 29]
    );
    assert_eq!(
        found(&server, "sort_order=asc&page_size=3&page=2").await.1,
        [4, 5, 6]
    );
    assert_eq!(found(&server, "page=99").await, (32, vec![]));
    assert_eq!(found(&server, "severity=%27%20or%201=1").await, (0, vec![]));
}

#[tokio::test]
async fn a_cursor_walks_every_session_once() {
    let server = Server::start().await;
    many(&server).await;
    for order in ["desc", "asc"] {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let body = server
                .get(&format!(
                    "{SESSIONS}?page_size=7&sort_order={order}&cursor={cursor}"
                ))
                .await
                .body;
            seen.extend(
                body["sessions"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|s| s["session_id"].clone()),
            );
            match body["pagination"]["next_cursor"].as_str() {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(seen.len(), 32);
        seen.sort_by_key(Value::to_string);
        seen.dedup();
        assert_eq!(seen.len(), 32, "{order}");
    }
}

#[tokio::test]
async fn a_line_has_the_names_of_the_seeds() {
    let server = Server::start().await;
    many(&server).await;
    let body = server
        .get(&format!(
            "{SESSIONS}?start_date_us=1700000005000000&end_date_us=1700000006000000"
        ))
        .await
        .body;
    insta::assert_json_snapshot!(body, { ".sessions[].session_id" => "[uuid]", ".sessions[].alert_id" => "[uuid]" }, @r#"
    {
      "sessions": [
        {
          "session_id": "[uuid]",
          "alert_id": "[uuid]",
          "alert_type": "kubernetes",
          "agent_type": "chain:chain-1",
          "status": "failed",
          "outcome": "failed",
          "severity": "warning",
          "source": "api",
          "author": null,
          "duplicate_count": 0,
          "resolved_at_us": null,
          "started_at_us": 1700000005000000,
          "completed_at_us": 1700000005026000,
          "duration_ms": 26,
          "error_message": "the model was away",
          "chain_id": "chain-1",
          "conversation_id": null,
          "question": null,
          "current_stage_index": null,
          "current_stage_id": null,
          "total_stages": 2,
          "completed_stages": 0,
          "failed_stages": 0,
          "llm_interaction_count": 0,
          "mcp_communication_count": 0,
          "total_interactions": 0,
          "input_tokens": null,
          "output_tokens": null,
          "cost_usd": null,
          "target": null,
          "acknowledged_at_us": null,
          "acknowledged_by": null,
          "assignee": null,
          "rating": null,
          "reviewed_at_us": null,
          "headline": "It was DNS number 5",
          "waiting": null
        }
      ],
      "pagination": {
        "page": 1,
        "page_size": 20,
        "total_pages": 1,
        "total_items": 1,
        "total_is_exact": true,
        "total_at_least": 1,
        "next_cursor": null,
        "searched_to_us": null
      },
      "filters_applied": {
        "start_date_us": "1700000005000000",
        "end_date_us": "1700000006000000"
      }
    }
    "#);
}

#[tokio::test]
async fn parameters_that_make_no_sense_are_named() {
    let server = Server::start().await;
    for (query, field) in [
        ("status=done", "status"),
        ("outcome=great", "outcome"),
        ("page=0", "page"),
        ("page_size=101", "page_size"),
        ("page_size=ten", "page_size"),
        ("start_date=yesterday", "start_date"),
        ("start_date_us=5&end_date_us=5", "end_date_us"),
        ("search=ab", "search"),
        ("sort_by=name", "sort_by"),
        ("sort_order=up", "sort_order"),
        ("cursor=x", "cursor"),
        (
            "cursor=1_0190d2f4-0000-7000-8000-000000000000&sort_by=duration_ms",
            "cursor",
        ),
        ("statuss=failed", "statuss"),
        ("severity=%00", "severity"),
    ] {
        let answer = server.get(&format!("{SESSIONS}?{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(
            (&answer.body["code"], &answer.body["errors"][0]["field"]),
            (&json!("invalid_parameter"), &json!(field))
        );
    }
    assert_eq!(
        server.get("/api/v1/history/search").await.body["errors"][0]["field"],
        "q"
    );
    assert_eq!(
        server.get("/api/v1/history/metrics?hours=0").await.status,
        StatusCode::BAD_REQUEST
    );
}
