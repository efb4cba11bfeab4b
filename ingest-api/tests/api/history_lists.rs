//! The history API's lists, search and figures.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::server::{Server, alert};

pub(crate) const SESSIONS: &str = "/api/v1/history/sessions";

pub(crate) async fn execute(server: &Server, statement: &str) {
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned()))
        .execute(server.db())
        .await
        .unwrap();
}

/// 30 ended sessions a second apart, the newest first in its list, and 2 that live.
async fn many(server: &Server) {
    execute(
        server,
        r#"insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                fingerprint, status, outcome, started_at_us, completed_at_us, error_message, final_analysis, chain_id, chain_definition)
           select gen_random_uuid(), gen_random_uuid(), case when n % 3 = 0 then 'NodeDown' else 'kubernetes' end,
                jsonb_build_object('number', n, 'note', 'Ünïcode 50%_off ' || n), case when n % 2 = 0 then 'critical' else 'warning' end,
                0, 'api', 'f' || n,
                (case when n % 5 = 0 then 'failed' else 'completed' end)::session_status,
                (case when n % 5 = 0 then 'failed' else 'completed' end)::session_outcome,
                1700000000000000 + n * 1000000, 1700000000000000 + n * 1000000 + (31 - n) * 1000,
                case when n % 5 = 0 then 'the model was away' end, 'It was DNS number ' || n, 'chain-' || n % 2, '{"stages": [{}, {}]}'
           from generate_series(1, 30) n;
           insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                fingerprint, status, started_at_us, chain_id, chain_definition)
           select gen_random_uuid(), gen_random_uuid(), 'kubernetes', '{"number": 0}', 'warning', 0, 'api', 'live' || n,
                (case when n = 1 then 'pending' else 'in_progress' end)::session_status, 1700000100000000 + n, 'chain-0', '{"stages": []}'
           from generate_series(1, 2) n;"#,
    )
    .await;
}

async fn found(server: &Server, query: &str) -> (i64, Vec<i64>) {
    let answer = server.get(&format!("{SESSIONS}?{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{query}: {answer:?}");
    let starts = answer.body["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["started_at_us"].as_i64().unwrap());
    let numbers = starts
        .map(|us| (us - 1_700_000_000_000_000) / 1_000_000)
        .collect();
    (
        answer.body["pagination"]["total_items"].as_i64().unwrap(),
        numbers,
    )
}

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
          "cost_usd": null
        }
      ],
      "pagination": {
        "page": 1,
        "page_size": 20,
        "total_pages": 1,
        "total_items": 1,
        "total_is_exact": true,
        "next_cursor": null
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

#[tokio::test]
async fn texts_are_found_once_they_are_indexed() {
    let server = Server::start().await;
    many(&server).await;
    let index = async || {
        let mut conn = server.db().acquire().await.unwrap();
        while tarsy_store::index_for_search(&mut conn, 10).await.unwrap() >= 10 {}
    };
    index().await;
    assert_eq!(server.count("session_search").await, 32);
    assert_eq!(
        found(&server, "search=DNS%20NUMBER%2017").await,
        (1, vec![17])
    );
    assert_eq!(
        found(&server, "search=%C3%9Cn%C3%AFcode%2050%25_off%207").await,
        (1, vec![7])
    );
    assert_eq!(found(&server, "search=50x_off").await, (0, vec![]));
    // In any case of any script, where Postgres can.
    let icu: bool =
        sqlx::query_scalar("select exists (select from pg_collation where collname = 'und-x-icu')")
            .fetch_one(server.db())
            .await
            .unwrap();
    let expected = if icu { vec![7] } else { vec![] };
    assert_eq!(
        found(&server, "search=%C3%BCN%C3%8FCODE%2050%25_OFF%207")
            .await
            .1,
        expected
    );
    assert_eq!(
        found(&server, "search=model%20was%20away&severity=critical").await,
        (3, vec![30, 20, 10])
    );
    assert_eq!(
        found(&server, "search=dns&page_size=4&page=2").await.1,
        [26, 25, 24, 23]
    );
    assert_eq!(
        found(&server, "search=dns&sort_by=duration_ms&page_size=2")
            .await
            .1,
        [1, 2]
    );
    let through_search = server
        .get("/api/v1/history/search?q=number%2017")
        .await
        .body;
    assert_eq!(through_search["sessions"].as_array().unwrap().len(), 1);

    // A session that ends is read again; one that is deleted is forgotten.
    execute(&server, "update alert_sessions set status = 'completed', completed_at_us = now_us(), final_analysis = 'a full disk' where fingerprint = 'live1'").await;
    index().await;
    assert_eq!(found(&server, "search=full%20disk").await.0, 1);
    execute(
        &server,
        "delete from alert_sessions where fingerprint = 'live1'",
    )
    .await;
    assert_eq!(found(&server, "search=full%20disk").await.0, 0);
}

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
async fn unknown_sessions_and_history_that_is_off_are_404() {
    let server = Server::start().await;
    for id in ["nope", "0190d2f4-0000-7000-8000-000000000000"] {
        for part in ["", "/summary", "/export"] {
            let answer = server.get(&format!("{SESSIONS}/{id}{part}")).await;
            assert_eq!(
                (answer.status, &answer.body["code"]),
                (StatusCode::NOT_FOUND, &json!("session_not_found"))
            );
        }
    }
    let off = Server::with(&[("OPENAI_API_KEY", "not-used"), ("HISTORY_ENABLED", "false")]).await;
    for path in [
        "sessions",
        "search?q=abc",
        "metrics",
        "active-sessions",
        "filter-options",
    ] {
        let answer = off.get(&format!("/api/v1/history/{path}")).await;
        assert_eq!(
            (answer.status, &answer.body["code"]),
            (StatusCode::NOT_FOUND, &json!("history_disabled")),
            "{path}"
        );
    }
    assert_eq!(
        off.get("/api/v1/history/health").await.body["status"],
        "disabled"
    );
    assert_eq!(
        off.post("/alerts", &alert(json!({}))).await.status,
        StatusCode::ACCEPTED
    );
}

#[tokio::test]
async fn figures_of_past_hours_are_summed_up_and_stay_true() {
    let server = Server::start().await;
    many(&server).await;
    // One session every two hours, and two that still run.
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
        while tarsy_store::sum_up_hours(&mut conn, 10).await.unwrap() >= 10 {}
    };
    sum_up().await;
    assert!(server.count("session_hours").await >= 28);
    assert_eq!(metrics().await, read, "sums say the same as the sessions");

    // A session of a past hour that ends late is counted anew; nothing else is read again.
    execute(
        &server,
        "update alert_sessions set status = 'completed', started_at_us = started_at_us - 36000000000 where fingerprint = 'live1';
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
async fn facets_tell_what_each_choice_would_leave() {
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
    // What is chosen narrows the others, not the facet it is chosen in.
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
