//! Streamable HTTP with a hostile server.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tarsy_mcp::{CallError, CallOptions, Secret, ServerSettings, TransportSettings};

use crate::support::{call, http, one};

const HUGE: usize = 100_000_000;
const ALLOWED_KIB: u64 = 32 * 1024;
const BEARER: &str = "made-up-bearer";

/// Form of the answers: JSON or an event stream.
#[derive(Clone, Copy)]
enum Style {
    Json,
    Events,
}

async fn serve(style: Style) -> ServerSettings {
    let app = Router::new().route("/mcp", post(answer)).with_state(style);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move { axum::serve(listener, app).await });
    let mut settings = http("hostile", &format!("http://127.0.0.1:{port}/mcp"));
    let TransportSettings::Http(http) = &mut settings.transport else {
        unreachable!()
    };
    http.bearer = Some(Secret::new(BEARER));
    http.headers
        .insert("x-tenant".to_owned(), Secret::new("t1"));
    settings
}

async fn answer(
    State(style): State<Style>,
    headers: HeaderMap,
    Json(message): Json<Value>,
) -> Response {
    if headers["authorization"] != format!("Bearer {BEARER}") || headers["x-tenant"] != "t1" {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let id = message["id"].clone();
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "hostile", "version": "1"},
        }),
        Some("tools/list") => {
            let names = ["huge", "refused", "mistaken", "anonymous"];
            json!({"tools": names.map(tool)})
        }
        Some("tools/call") if message["params"]["name"] == "huge" => return huge(style, &id),
        Some("tools/call") if message["params"]["name"] == "mistaken" => {
            let result = json!({"content": [{"type": "text", "text": "somebody else's"}]});
            return Json(json!({"jsonrpc": "2.0", "id": 4711, "result": result})).into_response();
        }
        Some("tools/call") if message["params"]["name"] == "anonymous" => {
            let error = json!({"code": -32001, "message": "no idea whose"});
            return Json(json!({"jsonrpc": "2.0", "id": null, "error": error})).into_response();
        }
        Some("tools/call") => {
            let error = json!({"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32000, "message": "no"}});
            return (StatusCode::BAD_REQUEST, Json(error)).into_response();
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    Json(json!({"jsonrpc": "2.0", "id": id, "result": result})).into_response()
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}})
}

fn huge(style: Style, id: &Value) -> Response {
    let (prefix, suffix, media_type) = match style {
        Style::Json => ("", "", "application/json"),
        Style::Events => ("data: ", "\n\n", "text/event-stream"),
    };
    let head = format!(r#"{prefix}{{"result":{{"content":[{{"type":"text","text":"#) + "\"";
    let tail = format!(r#""}}]}},"jsonrpc":"2.0","id":{id}}}{suffix}"#);
    let piece = Bytes::from("0123456789abcde ".repeat(4096));
    let pieces = std::iter::once(Bytes::from(head))
        .chain(std::iter::repeat_n(piece.clone(), HUGE / piece.len()))
        .chain(std::iter::once(Bytes::from(tail)));
    let body = Body::from_stream(futures::stream::iter(pieces.map(Ok::<_, std::io::Error>)));
    ([("content-type", media_type)], body).into_response()
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .expect("VmHWM");
    line.split_whitespace()
        .nth(1)
        .and_then(|kib| kib.parse().ok())
        .expect("KiB")
}

#[tokio::test]
async fn a_hundred_megabytes_are_cut_and_a_refusal_is_not_waited_for() {
    for style in [Style::Json, Style::Events] {
        let (pool, tools) = one(serve(style).await);
        assert_eq!(tools.list().await.tools.len(), 4);
        let before = peak_kib();
        let outcome = call(&tools, "huge", json!({})).await;
        assert!(outcome.truncated && outcome.text.starts_with("0123456789abcde"));
        assert!(outcome.total_bytes as usize > HUGE / 2);
        let grown = peak_kib().saturating_sub(before);
        assert!(grown <= ALLOWED_KIB, "RSS grew by {grown} KiB");

        let end = tools
            .call("hostile", "refused", json!({}), CallOptions::default())
            .await;
        assert!(
            matches!(end, Err(CallError::Protocol { code: -32000, .. })),
            "{end:?}"
        );
        pool.close().await;
    }
}

#[tokio::test]
async fn an_answer_with_a_wrong_id_is_no_answer_and_ends_the_wait() {
    let (_pool, tools) = one(serve(Style::Json).await);
    let ask = async |tool| {
        tools
            .call("hostile", tool, json!({}), CallOptions::default())
            .await
            .expect_err("no answer")
    };
    let mistaken = ask("mistaken").await;
    assert!(
        !matches!(mistaken, CallError::Timeout { .. }) && !format!("{mistaken}").contains("else's"),
        "{mistaken:?}"
    );
    let anonymous = ask("anonymous").await;
    assert!(
        matches!(anonymous, CallError::Protocol { code: -32001, .. }),
        "{anonymous:?}"
    );
}

#[tokio::test]
async fn a_wrong_bearer_is_a_plain_error_without_the_bearer() {
    let mut settings = serve(Style::Json).await;
    let TransportSettings::Http(http) = &mut settings.transport else {
        unreachable!()
    };
    http.bearer = Some(Secret::new("wrong-made-up-bearer"));
    assert!(!format!("{settings:?}").contains("made-up"));
    let (_pool, tools) = one(settings);
    let reason = tools.list().await.unavailable.remove(0).1;
    assert!(
        reason.contains("401") && !reason.contains("made-up"),
        "{reason}"
    );
}
