//! Lists: filters, sort orders, pages and cursors.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_store::history::{SessionFilter, count_within};

use super::{SESSIONS, execute, found, many};
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

/// Sets the costs of ended sessions. A third has no known cost, and some are not tallied yet.
async fn priced(server: &Server) {
    execute(
        server,
        "insert into session_tallies (session_id, completed_at_us, completed_stages, failed_stages, llm_calls, mcp_calls, cost_usd)
         select session_id, completed_at_us, 0, 0, 0, 0, case when started_at_us / 1000000 % 3 > 0 then (started_at_us / 1000000 % 7)::float8 / 10 end
         from alert_sessions where completed_at_us is not null and started_at_us < 1700000028000000;
         update session_tallies_cursor set completed_at_us = (select max(completed_at_us) from session_tallies);
         update alert_sessions set severity = 'P1' where fingerprint = 'f3';
         update alert_sessions set severity = 'odd' where fingerprint = 'f4';",
    )
    .await;
}

/// Returns all sessions of a list, page by page.
async fn walked(server: &Server, query: &str) -> Vec<Value> {
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let url = format!("{SESSIONS}?page_size=7&{query}&cursor={cursor}");
        let answer = server.get(&url).await;
        assert_eq!(answer.status, StatusCode::OK, "{url}: {answer:?}");
        seen.extend(answer.body["sessions"].as_array().unwrap().iter().cloned());
        match answer.body["pagination"]["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return seen,
        }
    }
}

/// Returns the sort key of a session. A session without one (`None`) comes last.
fn key(session: &Value, sort: &str) -> Option<f64> {
    match sort {
        "severity" => Some(match session["severity"].as_str().unwrap() {
            "critical" | "P1" => 4.0,
            _ => 2.0,
        }),
        other => session[other].as_f64(),
    }
}

#[tokio::test]
async fn a_cursor_walks_every_session_once_in_every_order() {
    let server = Server::start().await;
    many(&server).await;
    priced(&server).await;
    let sorts = [
        "started_at_us",
        "completed_at_us",
        "duration_ms",
        "severity",
        "cost_usd",
    ];
    // Without a filter, indexes are scanned in order. Few matches are sorted after they were read.
    for (filter, number) in [
        ("", 32),
        ("&start_date_us=1", 32),
        ("&severity=warning", 16),
    ] {
        for sort in sorts {
            for order in ["desc", "asc"] {
                let query = format!("sort_by={sort}&sort_order={order}{filter}");
                let sessions = walked(&server, &query).await;
                let keys: Vec<Option<f64>> =
                    sessions.iter().map(|session| key(session, sort)).collect();
                let is_in_order = keys.windows(2).all(|pair| match (pair[0], pair[1]) {
                    (Some(first), Some(next)) if order == "desc" => first >= next,
                    (Some(first), Some(next)) => first <= next,
                    (first, next) => first.is_some() || next.is_none(),
                });
                assert!(is_in_order, "{query}: {keys:?}");
                let mut ids: Vec<String> = sessions
                    .iter()
                    .map(|session| session["session_id"].to_string())
                    .collect();
                ids.sort();
                ids.dedup();
                assert_eq!((sessions.len(), ids.len()), (number, number), "{query}");
            }
        }
    }
    // Sessions of one severity rank are sorted newest first, regardless of the senders' names for it.
    let worst = found(&server, "sort_by=severity&page_size=3").await.1;
    assert_eq!(worst, [30, 28, 26]);
    let cursor = "cursor=severity:4:1700000004000000_0190d2f4-0000-7000-8000-000000000000";
    let rest = found(&server, &format!("sort_by=severity&page_size=3&{cursor}")).await;
    assert_eq!(rest.1, [3, 2, 100]);
}

#[tokio::test]
async fn a_long_list_is_counted_if_that_is_quick() {
    let server = Server::start().await;
    execute(
        &server,
        "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
             fingerprint, status, outcome, started_at_us, completed_at_us, chain_id, chain_definition)
         select gen_random_uuid(), gen_random_uuid(), 'kubernetes', '{}', case when n % 4 = 0 then 'critical' else 'warning' end, 0, 'api', 'm' || n,
             'completed', 'completed', n, n, 'chain-0', '{}'
         from generate_series(1, 12345) n;
         analyze alert_sessions;",
    )
    .await;
    let total = async |query: &str| {
        let body = server.get(&format!("{SESSIONS}?{query}")).await.body;
        let page = &body["pagination"];
        (page["total_items"].clone(), page["total_is_exact"].clone())
    };
    assert_eq!(total("page_size=1").await, (json!(12_345), json!(true)));
    assert_eq!(total("severity=warning").await, (json!(9_259), json!(true)));
    // A request for only the page does not wait for the total.
    let page = server.get(&format!("{SESSIONS}?total=quick")).await.body;
    assert_eq!(page["pagination"]["total_is_exact"], json!(false));
    assert_eq!(page["pagination"]["total_at_least"], json!(10_000));
    let few = total("total=quick&severity=warning").await;
    assert_eq!(few, (json!(9_259), json!(true)));
    assert_eq!(
        server.get(&format!("{SESSIONS}?total=none")).await.status,
        400
    );
    let facets = server.get("/api/v1/history/facets").await.body;
    assert_eq!(
        facets["severity"],
        json!({"values": {"critical": 3_086, "warning": 9_259}, "is_exact": true})
    );
    // A count that takes too long is abandoned. Here it waits for a lock.
    let mut tx = server.db().begin().await.unwrap();
    sqlx::query("lock table alert_sessions in access exclusive mode")
        .execute(&mut *tx)
        .await
        .unwrap();
    let mut conn = server.db().acquire().await.unwrap();
    let count = async |conn: &mut sqlx::PgConnection, patience| {
        let all = SessionFilter::default();
        count_within(conn, &all, patience).await.unwrap()
    };
    assert_eq!(count(&mut conn, Duration::from_millis(50)).await, None);
    tx.rollback().await.unwrap();
    let counted = count(&mut conn, Duration::from_secs(30)).await.unwrap();
    assert_eq!((counted.number, counted.is_exact), (12_345, true));
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
          "verdict": null,
          "verdict_summary": null,
          "label": null,
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
          "stage_states": [],
          "total_stages": 2,
          "completed_stages": 0,
          "failed_stages": 0,
          "llm_interaction_count": 0,
          "mcp_communication_count": 0,
          "total_interactions": 0,
          "input_tokens": null,
          "output_tokens": null,
          "cost_usd": null,
          "alert_name": null,
          "target": null,
          "acknowledged_at_us": null,
          "acknowledged_by": null,
          "assignee": null,
          "rating": null,
          "reviewed_at_us": null,
          "headline": "It was DNS number 5",
          "waiting": null,
          "incident": null
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
