//! Rejected requests, and the errors that their senders get.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::server::{IntoAnswer as _, Server, alert};

async fn refused(server: &Server, body: impl Into<reqwest::Body>) -> Value {
    let answer = server
        .post_raw("/alerts", body)
        .send()
        .await
        .unwrap()
        .into_answer()
        .await;
    assert_eq!(
        answer.content_type, "application/problem+json",
        "{answer:?}"
    );
    assert_eq!(
        answer.status.as_u16(),
        answer.body["status"].as_u64().unwrap() as u16
    );
    answer.body
}

#[tokio::test]
async fn json_that_does_not_parse_is_400_with_line_and_column() {
    let server = Server::start().await;
    insta::assert_json_snapshot!(refused(&server, "{\"alert_type\": \"kubernetes\",\n  \"data\": {,}}").await, @r#"
    {
      "type": "urn:tarsy:problem:malformed_json",
      "title": "Malformed JSON",
      "status": 400,
      "code": "malformed_json",
      "detail": "key must be a string at line 2 column 12",
      "line": 2,
      "column": 12
    }
    "#);
    insta::assert_json_snapshot!(refused(&server, &b"{\"a\": \"\xff\"}"[..]).await, @r#"
    {
      "type": "urn:tarsy:problem:malformed_json",
      "title": "Malformed JSON",
      "status": 400,
      "code": "malformed_json",
      "detail": "the body is not UTF-8",
      "line": 1,
      "column": 8
    }
    "#);
    insta::assert_json_snapshot!(refused(&server, " \n").await, @r#"
    {
      "type": "urn:tarsy:problem:empty_body",
      "title": "Empty request body",
      "status": 400,
      "code": "empty_body",
      "detail": "the request body must be a JSON object"
    }
    "#);
    assert_eq!(refused(&server, "{} {}").await["code"], "malformed_json");
    assert_eq!(server.count("alert_sessions").await, 0);
}

#[tokio::test]
async fn every_field_that_is_wrong_is_named() {
    let server = Server::start().await;
    let body = json!({"alert_type": 5, "runbook": "ftp://x", "severity": "", "timestamp": "yesterday", "data": [1]});
    insta::assert_json_snapshot!(refused(&server, body.to_string()).await, @r#"
    {
      "type": "urn:tarsy:problem:invalid_alert",
      "title": "Invalid alert",
      "status": 422,
      "code": "invalid_alert",
      "detail": "`alert_type` must be a string; `severity` must not be empty; `timestamp` must be a whole number of microseconds since 1970; `data` must be an object; `runbook` must be an http or https URL, or `local:<name>`",
      "errors": [
        {
          "field": "alert_type",
          "detail": "must be a string"
        },
        {
          "field": "severity",
          "detail": "must not be empty"
        },
        {
          "field": "timestamp",
          "detail": "must be a whole number of microseconds since 1970"
        },
        {
          "field": "data",
          "detail": "must be an object"
        },
        {
          "field": "runbook",
          "detail": "must be an http or https URL, or `local:<name>`"
        }
      ]
    }
    "#);
    insta::assert_json_snapshot!(refused(&server, "{}").await["errors"], @r#"
    [
      {
        "field": "alert_type",
        "detail": "is missing"
      }
    ]
    "#);
    assert_eq!(refused(&server, "[1]").await["code"], "invalid_alert");
    assert_eq!(server.count("alert_sessions").await, 0);
}

#[tokio::test]
async fn an_unknown_alert_type_names_the_known_ones() {
    let server = Server::start().await;
    let mut body = alert(json!({}));
    body["alert_type"] = json!("Nope");
    insta::assert_json_snapshot!(refused(&server, body.to_string()).await, @r#"
    {
      "type": "urn:tarsy:problem:unknown_alert_type",
      "title": "Unknown alert type",
      "status": 422,
      "code": "unknown_alert_type",
      "detail": "no chain answers `Nope`; known: NamespaceTerminating, kubernetes",
      "errors": [
        {
          "field": "alert_type",
          "detail": "is not a known alert type"
        }
      ],
      "known_alert_types": [
        "NamespaceTerminating",
        "kubernetes"
      ]
    }
    "#);
}

#[tokio::test]
async fn what_postgres_could_not_keep_is_refused_by_name() {
    let server = Server::start().await;
    let deep = format!("{}1{}", "[".repeat(64), "]".repeat(64));
    let keys = (0..10_001)
        .map(|n| format!("\"k{n}\":0"))
        .collect::<Vec<_>>()
        .join(",");
    for (data, field) in [
        (
            r#"{"labels": {"hosts": ["a", "b\u0000"]}}"#.to_owned(),
            "data.labels.hosts[1]",
        ),
        (r#"{"half": "\ud800"}"#.to_owned(), "data.half"),
        (r#"{"huge": 1e99999}"#.to_owned(), "data.huge"),
        (format!("{{\"deep\": {deep}}}"), "data.deep"),
        (format!("{{{keys}}}"), "data.k10000"),
    ] {
        let body =
            format!(r#"{{"alert_type": "kubernetes", "runbook": "local:a", "data": {data}}}"#);
        let problem = refused(&server, body).await;
        assert_eq!(problem["status"], 422, "{problem}");
        let named = problem["errors"][0]["field"].as_str().unwrap();
        assert!(named.starts_with(field), "{named} {field}");
    }
    let nul = refused(
        &server,
        r#"{"alert_type": "kubernetes", "runbook": "local:a\u0000"}"#,
    )
    .await;
    assert_eq!(nul["errors"][0]["field"], "runbook");
    assert_eq!(server.count("alert_sessions").await, 0);
}

#[tokio::test]
async fn limits_are_reached_exactly() {
    let server = Server::start().await;
    // The limits are 64 levels including `data` itself, 10,000 keys, and 1 MiB.
    let deep = format!("{}1{}", "[".repeat(63), "]".repeat(63));
    let keys = (0..10_000)
        .map(|n| format!("\"k{n}\":0"))
        .collect::<Vec<_>>()
        .join(",");
    let head = r#"{"alert_type": "kubernetes", "runbook": "local:a", "data": "#;
    let full = format!(
        "{head}{{\"x\": \"{}\"}}}}",
        "x".repeat(1024 * 1024 - head.len() - 10)
    );
    assert_eq!(full.len(), 1024 * 1024);
    for body in [
        format!("{head}{{\"deep\": {deep}}}}}"),
        format!("{head}{{{keys}}}}}"),
        full.clone(),
    ] {
        let answer = server
            .post_raw("/alerts", body)
            .send()
            .await
            .unwrap()
            .into_answer()
            .await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    }
    insta::assert_json_snapshot!(refused(&server, format!("{full} ")).await, @r#"
    {
      "type": "urn:tarsy:problem:body_too_large",
      "title": "Request body too large",
      "status": 413,
      "code": "body_too_large",
      "detail": "the request body exceeds 1048576 bytes",
      "limit_bytes": 1048576
    }
    "#);
}

#[tokio::test]
async fn a_body_without_the_content_type_json_is_415() {
    let server = Server::start().await;
    let post = async |kind: Option<&str>| {
        let request = server
            .client
            .post(server.url("/alerts"))
            .body(alert(json!({})).to_string());
        let request = kind.map_or(request.try_clone().unwrap(), |kind| {
            request.header("content-type", kind)
        });
        request.send().await.unwrap().into_answer().await
    };
    insta::assert_json_snapshot!(post(Some("text/plain")).await.body, @r#"
    {
      "type": "urn:tarsy:problem:unsupported_media_type",
      "title": "Unsupported media type",
      "status": 415,
      "code": "unsupported_media_type",
      "detail": "the content type must be `application/json`, not `text/plain`"
    }
    "#);
    assert_eq!(post(None).await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(
        post(Some("application/json; charset=utf-8")).await.status,
        StatusCode::ACCEPTED
    );
}

#[tokio::test]
async fn without_a_provider_nothing_is_accepted() {
    let server = Server::with(&[]).await;
    let answer = server.post("/alerts", &alert(json!({}))).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    insta::assert_json_snapshot!(answer.body, @r#"
    {
      "type": "urn:tarsy:problem:no_llm_provider",
      "title": "No LLM provider available",
      "status": 503,
      "code": "no_llm_provider",
      "detail": "no LLM provider is available: set an API key, or configure one under `llm_providers`"
    }
    "#);
    assert_eq!(server.count("alert_sessions").await, 0);
}

#[tokio::test]
async fn an_idempotency_key_must_be_printable() {
    let server = Server::start().await;
    let request = server
        .post_raw("/alerts", alert(json!({})).to_string())
        .header("idempotency-key", "x".repeat(256));
    let answer = request.send().await.unwrap().into_answer().await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(answer.body["errors"][0]["field"], "Idempotency-Key");
}

#[tokio::test]
async fn unknown_paths_and_methods_are_problems_too() {
    let server = Server::start().await;
    let missing = server.get("/nope").await;
    assert_eq!(
        (missing.status.as_u16(), &missing.body["code"]),
        (404, &json!("not_found"))
    );
    let wrong = server
        .client
        .delete(server.url("/alerts"))
        .send()
        .await
        .unwrap()
        .into_answer()
        .await;
    assert_eq!(
        (wrong.status.as_u16(), &wrong.body["code"]),
        (405, &json!("method_not_allowed"))
    );
}
