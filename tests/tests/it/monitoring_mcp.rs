//! `tarsy mcp prometheus` over a real Prometheus, and `tarsy mcp loki` over a fake Loki.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fake_loki;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::{Router, routing};
use serde_json::{Value, json};
use tarsy_testing::wait;
use tarsy_tests::{SOON, StdioClient};

use crate::alerts_fire::prometheus::Prometheus;

/// Starts an exporter of one gauge for two pods. The returned number is the value of pod `a`.
async fn exporter() -> (String, Arc<AtomicU32>) {
    let errors = Arc::new(AtomicU32::new(1));
    let of_a = Arc::clone(&errors);
    let metrics = routing::get(async move || {
        let errors = of_a.load(Ordering::Relaxed);
        format!(
            "# HELP shop_errors Errors of the shop.\n# TYPE shop_errors gauge\n\
             shop_errors{{pod=\"a\"}} {errors}\nshop_errors{{pod=\"b\"}} 0\n"
        )
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let router = Router::new().route("/metrics", metrics);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, errors)
}

fn has_all(text: &str, parts: &[&str]) -> bool {
    parts.iter().all(|part| text.contains(part))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_a_metric_is_seen_without_its_points() {
    let (address, errors) = exporter().await;
    let prometheus = Prometheus::start(&[address, "127.0.0.1:1".to_owned()]);
    let mut client = StdioClient::start("prometheus", &[("PROMETHEUS_URL", &prometheus.url)]).await;
    let listed = client.ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(!tools.is_empty());
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], json!(true), "{tool}");
    }

    let range = json!({"query": "shop_errors", "start": "-2m", "step": "1s"});
    // A change of level is detected only with three points on each side.
    wait::until("three points of pod a", SOON, async || {
        let text = client.call("query_range", range.clone()).await;
        let (_, of_a) = text.split_once("pod=\"a\"}: ").unwrap_or_default();
        let points = of_a.split_whitespace().next();
        points.is_some_and(|points| points.parse().is_ok_and(|points: u32| points >= 3))
    })
    .await;
    errors.store(900, Ordering::Relaxed);
    // Waits until a result contains these parts. Prometheus scrapes each second.
    let mut answers = async |tool: &str, arguments: Value, parts: &[&str]| {
        wait::until(&format!("{tool} to answer {parts:?}"), SOON, async || {
            let text = client.call(tool, arguments.clone()).await;
            has_all(&text, parts)
        })
        .await;
    };
    answers(
        "query_range",
        range,
        &["all: shop_errors{", "█", "from 1 to 900", "always 0"],
    )
    .await;
    answers(
        "query",
        json!({"query": "shop_errors"}),
        &["2 series", "pod=\"a\"}: 900\n- "],
    )
    .await;
    answers(
        "metrics",
        json!({"search": "SHOP errors"}),
        &["shop_errors (gauge): Errors of the shop."],
    )
    .await;
    answers(
        "labels",
        json!({"selector": "shop_errors"}),
        &["pod, 2 values: a, b"],
    )
    .await;
    answers("targets", json!({}), &["1 of 2 up", "down: ", "refused"]).await;
    answers(
        "rules",
        json!({"search": "TarsyQueuePaused"}),
        &["1 of ", "TarsyQueuePaused (inactive)"],
    )
    .await;
    answers("alerts", json!({}), &[" alerts"]).await;
    // Prometheus's message about a mistake, and a suggestion to replace it.
    answers(
        "query",
        json!({"query": "rate(shop_errors"}),
        &["HTTP 400", "bad_data", "unclosed left parenthesis"],
    )
    .await;
    answers(
        "query_range",
        json!({"query": "up", "start": "-30d", "step": "1s"}),
        &["take a step of at least 236 s"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn log_lines_are_grouped_by_their_patterns() {
    let loki = fake_loki::start().await;
    let variables = [
        ("LOKI_URL", loki.as_str()),
        ("LOKI_TOKEN", fake_loki::TOKEN),
        ("LOKI_TENANT", fake_loki::TENANT),
    ];
    let mut client = StdioClient::start("loki", &variables).await;
    let logs =
        json!({"query": "{app=\"cart\"}", "start": fake_loki::NOON, "end": "2026-11-28T13:00:00Z"});
    let text = client.call("patterns", logs.clone()).await;
    assert_eq!(
        text,
        "301 lines from 2026-11-28T12:00:00Z to 2026-11-28T12:05:00Z: 2 patterns\n\
         - once at 2026-11-28T12:02:30Z error: level=error msg=\"payments-7d9f8b: connection refused\"\n\
         - 300 times from 2026-11-28T12:00:00Z to 2026-11-28T12:05:00Z: GET /cart/<*> <*> in <*>\n  last: GET /cart/299 200 in 3ms"
    );
    let mut few = logs.clone();
    few["limit"] = json!(2);
    let text = client.call("lines", few).await;
    assert!(text.starts_with("the newest 2 lines"), "{text}");
    let text = client.call("query_range", logs).await;
    assert!(text.contains("ask `patterns` or `lines`"), "{text}");
    let counts = json!({"query": "sum(count_over_time({app=\"cart\"}[1m]))", "start": fake_loki::NOON, "end": "2026-11-28T13:00:00Z"});
    let text = client.call("query_range", counts).await;
    assert!(text.contains("1 series with 60 points"), "{text}");
    let text = client.call("labels", json!({"label": "app"})).await;
    assert_eq!(text, "2 values of `app`\n- cart\n- payments");
    let text = client
        .call("volume", json!({"selector": "{app=\"cart\"}"}))
        .await;
    assert!(text.starts_with("301 lines in 1 streams, 0.1 MB"), "{text}");
    let text = client.call("lines", json!({"query": "{app="})).await;
    assert!(
        has_all(&text, &["HTTP 400", "parse error at line 1"]),
        "{text}"
    );

    let variables = [("LOKI_URL", loki.as_str()), ("LOKI_TOKEN", "wrong")];
    let mut stranger = StdioClient::start("loki", &variables).await;
    let text = stranger.call("labels", json!({"label": "app"})).await;
    assert!(
        text.contains("refuses the login") && !text.contains("wrong"),
        "{text}"
    );
}
