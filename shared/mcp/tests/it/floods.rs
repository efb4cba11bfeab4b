//! Servers that send without end. The connection is closed with a typed error and in limited memory, while others are
//! called.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use axum::body::{Body, Bytes};
use axum::extract::Json;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tarsy_mcp::{
    AgentAccess, CallError, CallOptions, ConnectionState, Flood, McpPool, ServerGrant,
    ServerSettings,
};

use crate::support::{self, call, eventually, http, nasty, one, text};

/// Allowed growth of this process over all floods, including its tests.
const ALLOWED_KIB: u64 = 64 * 1024;
/// Largest message. It is small, so that a flood of bytes is detected quickly.
const SMALL: usize = 512 * 1024;

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1))
        .and_then(|kib| kib.parse().ok())
        .expect("VmHWM")
}

async fn flood_of(mut settings: ServerSettings, tool: &str) -> Result<Flood, String> {
    let server = settings.id.clone();
    settings.max_message_bytes = SMALL;
    let (pool, tools) = one(settings);
    let end = tools
        .call(&server, tool, json!({}), CallOptions::default())
        .await;
    let state = pool.status().remove(0).state;
    pool.close().await;
    match end {
        Err(CallError::Flooded { flood, .. }) => {
            assert!(
                matches!(state, ConnectionState::Failing { .. }),
                "{state:?}"
            );
            Ok(flood)
        }
        other => Err(format!("{tool}: {other:?}")),
    }
}

#[tokio::test]
async fn floods_over_stdio_are_broken_off_in_bounded_memory() {
    let before = peak_kib();
    for (tool, kind) in [
        ("notifications", Flood::Messages),
        ("changes", Flood::Messages),
        ("lines", Flood::Messages),
        ("answers", Flood::Messages),
        ("requests", Flood::Requests),
        ("bytes", Flood::Bytes),
    ] {
        assert_eq!(flood_of(nasty("ok"), tool).await, Ok(kind), "{tool}");
    }
    let grown = peak_kib().saturating_sub(before);
    assert!(grown <= ALLOWED_KIB, "RSS grew by {grown} KiB");
}

#[tokio::test]
async fn a_neighbour_is_called_while_a_server_floods() {
    let mut neighbour = nasty("ok");
    neighbour.id = "neighbour".to_owned();
    let pool = McpPool::new(vec![nasty("ok"), neighbour]).unwrap();
    let access = AgentAccess {
        servers: vec![ServerGrant::all("nasty"), ServerGrant::all("neighbour")],
        allow_destructive: true,
    };
    let tools = pool.agent(&access).unwrap();
    tools.list().await;
    for tool in ["notifications", "stderr_flood"] {
        let flooding = tokio::spawn({
            let (tools, options) = (tools.clone(), CallOptions::default());
            async move { tools.call("nasty", tool, json!({}), options).await }
        });
        for _ in 0..20 {
            let answer = tools
                .call("neighbour", "echo", json!({"a": 1}), CallOptions::default())
                .await;
            assert_eq!(answer.unwrap().text, r#"{"a": 1}"#);
        }
        flooding.abort();
    }
    pool.close().await;
}

#[tokio::test]
async fn millions_of_values_are_cut_in_bounded_memory() {
    let (pool, tools) = one(nasty("ok"));
    let before = peak_kib();
    let blocks = call(&tools, "blocks", json!({})).await;
    assert!(blocks.truncated && blocks.text.starts_with("x\nx\n"));
    let structured = call(&tools, "structured", json!({})).await;
    assert!(structured.truncated, "{}", structured.text.len());
    let grown = peak_kib().saturating_sub(before);
    assert!(grown <= ALLOWED_KIB, "RSS grew by {grown} KiB");
    pool.close().await;
}

#[tokio::test]
async fn an_answer_that_can_not_be_read_fails_its_call_at_once() {
    let (pool, tools) = one(nasty("ok"));
    for (tool, reason) in [("invalid_utf8", "UTF-8"), ("infinite", "no valid JSON-RPC")] {
        let end = tools
            .call("nasty", tool, json!({}), CallOptions::default())
            .await;
        assert!(
            matches!(&end, Err(CallError::Unreadable { message, .. }) if message.contains(reason)),
            "{tool}: {end:?}"
        );
    }
    assert_eq!(text(&tools, "surrogate").await, "\u{fffd}");
    // The connection still works.
    assert_eq!(text(&tools, "garbage").await, "after garbage");
    assert_eq!(pool.status()[0].starts, 1);
    pool.close().await;
}

async fn serve() -> ServerSettings {
    let app = axum::Router::new().route("/mcp", post(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, app).await });
    http("flooding", &format!("http://127.0.0.1:{port}/mcp"))
}

async fn answer(Json(message): Json<Value>) -> Response {
    let id = message["id"].clone();
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "flooding", "version": "1"},
        }),
        Some("tools/list") => {
            let names = [
                "notifications",
                "requests",
                "bytes",
                "line",
                "body",
                "invalid_utf8",
            ];
            json!({"tools": names.map(|name| json!({
                "name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
            }))})
        }
        Some("tools/call") => return flood(message["params"]["name"].as_str().unwrap(), &id),
        _ => return axum::http::StatusCode::ACCEPTED.into_response(),
    };
    Json(json!({"jsonrpc": "2.0", "id": id, "result": result})).into_response()
}

fn flood(what: &str, id: &Value) -> Response {
    let event = |message: Value| format!("data: {message}\n\n").repeat(100);
    let (media_type, piece) = match what {
        "notifications" => (
            "text/event-stream",
            event(
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}),
            ),
        ),
        "requests" => (
            "text/event-stream",
            event(
                json!({"jsonrpc": "2.0", "id": 7, "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}),
            ),
        ),
        "bytes" => ("text/event-stream", ": nothing at all\n".repeat(4096)),
        "line" => ("text/event-stream", "data: xxxxxxxxxx".repeat(4096)),
        "body" => ("application/json", " ".repeat(65536)),
        _ => {
            let mut body = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#
            )
            .into_bytes();
            body.extend_from_slice(b"\xff\"}]}}");
            return ([("content-type", "application/json")], body).into_response();
        }
    };
    let piece = Bytes::from(piece);
    let pieces = futures::stream::repeat_with(move || Ok::<_, std::io::Error>(piece.clone()));
    ([("content-type", media_type)], Body::from_stream(pieces)).into_response()
}

#[tokio::test]
async fn floods_over_http_are_broken_off_in_bounded_memory() {
    let before = peak_kib();
    for (tool, kind) in [
        ("notifications", Flood::Messages),
        ("requests", Flood::Requests),
        ("bytes", Flood::Bytes),
        ("line", Flood::Bytes),
        ("body", Flood::Bytes),
    ] {
        assert_eq!(flood_of(serve().await, tool).await, Ok(kind), "{tool}");
    }
    let grown = peak_kib().saturating_sub(before);
    assert!(grown <= ALLOWED_KIB, "RSS grew by {grown} KiB");
    let (pool, tools) = one(serve().await);
    let end = tools
        .call(
            "flooding",
            "invalid_utf8",
            json!({}),
            CallOptions::default(),
        )
        .await;
    assert!(matches!(end, Err(CallError::Unreadable { .. })), "{end:?}");
    pool.close().await;
}

#[tokio::test]
async fn a_flooding_child_is_killed() {
    let (_pool, tools) = one(nasty("ok"));
    let pid = text(&tools, "pid").await;
    let end = tools
        .call("nasty", "notifications", json!({}), CallOptions::default())
        .await;
    assert!(matches!(end, Err(CallError::Flooded { .. })), "{end:?}");
    eventually("the child is gone", async || !support::runs(&pid)).await;
}
