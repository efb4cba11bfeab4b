//! A fake Loki, written from the documentation of its HTTP API
//! (<https://grafana.com/docs/loki/latest/reference/loki-http-api/>). It has a log of five minutes, a parse error as
//! plain text, and a login.

use std::collections::HashMap;

use axum::extract::{Query, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router, routing};
use serde_json::{Value, json};

pub(super) const TOKEN: &str = "l0ki";
pub(super) const TENANT: &str = "shop";
/// Time of the first line of the log.
pub(super) const NOON: &str = "2026-11-28T12:00:00Z";
const NOON_SECONDS: i64 = 1_795_867_200;

/// Starts the server and returns its URL.
pub(super) async fn start() -> String {
    let router = Router::new()
        .route("/loki/api/v1/query_range", routing::get(query_range))
        .route(
            "/loki/api/v1/label/app/values",
            routing::get(async || Json(json!({"status": "success", "data": ["cart", "payments"]}))),
        )
        .route(
            "/loki/api/v1/index/stats",
            routing::get(async || {
                Json(json!({"streams": 1, "chunks": 2, "entries": 301, "bytes": 100_000}))
            }),
        )
        .layer(middleware::from_fn(signed_in));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

async fn signed_in(headers: HeaderMap, request: Request, next: Next) -> Response {
    let is_known =
        headers["authorization"] == format!("Bearer {TOKEN}") && headers["x-scope-orgid"] == TENANT;
    match is_known {
        true => next.run(request).await,
        false => (StatusCode::UNAUTHORIZED, "no org id").into_response(),
    }
}

async fn query_range(Query(parameters): Query<HashMap<String, String>>) -> Response {
    let query = &parameters["query"];
    // 100 is the default of Loki's API, like the direction backward.
    let limit = parameters
        .get("limit")
        .map_or(100, |limit| limit.parse().unwrap());
    if query.contains("count_over_time") {
        let points: Vec<Value> = (0..60)
            .map(|minute| json!([NOON_SECONDS + minute * 60, "5"]))
            .collect();
        let data = json!({"resultType": "matrix", "result": [{"metric": {}, "values": points}]});
        return Json(json!({"status": "success", "data": data})).into_response();
    }
    if !query.ends_with('}') {
        let error = "parse error at line 1, col 6: syntax error: unexpected $end, expecting STRING";
        return (StatusCode::BAD_REQUEST, error).into_response();
    }
    let mut lines: Vec<(i64, String)> = (0..300)
        .map(|n| (n, format!("GET /cart/{n} 200 in {}ms", n % 4)))
        .collect();
    lines[299].0 = 300;
    lines.push((
        150,
        "level=error msg=\"payments-7d9f8b: connection refused\"".to_owned(),
    ));
    lines.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    lines.truncate(limit);
    let values: Vec<Value> = lines
        .into_iter()
        .map(|(at, text)| json!([((NOON_SECONDS + at) * 1_000_000_000).to_string(), text]))
        .collect();
    let data =
        json!({"resultType": "streams", "result": [{"stream": {"app": "cart"}, "values": values}]});
    Json(json!({"status": "success", "data": data})).into_response()
}
