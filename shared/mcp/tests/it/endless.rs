//! Hostile servers: endless tool lists, and floods over HTTP with server-sent events.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::{http, one};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Json, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tarsy_mcp::{
    CallError, CallOptions, ConnectionState, Flood, HttpSettings, ServerSettings, TransportSettings,
};
use tokio::sync::mpsc;

/// Allowed growth of this process, including its servers.
const ALLOWED_KIB: u64 = 64 * 1024;
/// Most pages that any client may request. This one must request fewer.
const PAGES: usize = 1_000;

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1))
        .and_then(|kib| kib.parse().ok())
        .expect("VmHWM")
}

async fn served(app: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://127.0.0.1:{port}")
}

fn initialized(message: &Value) -> Value {
    json!({
        "protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
        "serverInfo": {"name": "endless", "version": "1"},
    })
}

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}})
}

/// Form of an endless tool list.
#[derive(Clone, Copy, Debug)]
enum List {
    /// One tool per page, each page with another cursor.
    Pages,
    /// Pages without a tool.
    EmptyPages,
    /// Pages of a thousand tools.
    Tools,
    /// Pages with long descriptions.
    Bytes,
    /// One page that does not end.
    Body,
}

#[derive(Clone)]
struct Lists {
    list: List,
    pages: Arc<AtomicUsize>,
}

async fn list(State(lists): State<Lists>, Json(message): Json<Value>) -> Response {
    let result = match message["method"].as_str() {
        Some("initialize") => initialized(&message),
        Some("tools/list") => {
            let page = lists.pages.fetch_add(1, Ordering::SeqCst);
            let tools = match lists.list {
                List::Pages => vec![tool(&format!("t{page}"), "d")],
                List::EmptyPages => Vec::new(),
                List::Tools => (0..1_000)
                    .map(|n| tool(&format!("t{page}_{n}"), "d"))
                    .collect(),
                List::Bytes => vec![tool(&format!("t{page}"), &"d".repeat(500_000))],
                List::Body => {
                    let piece = Bytes::from(" ".repeat(65_536));
                    let pieces = futures::stream::repeat_with(move || {
                        Ok::<_, std::io::Error>(piece.clone())
                    });
                    return (
                        [("content-type", "application/json")],
                        Body::from_stream(pieces),
                    )
                        .into_response();
                }
            };
            json!({"tools": tools, "nextCursor": format!("page {page}")})
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    Json(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).into_response()
}

#[tokio::test]
async fn a_tool_list_without_end_is_given_up_in_bounded_memory() {
    let before = peak_kib();
    for kind in [
        List::Pages,
        List::EmptyPages,
        List::Tools,
        List::Bytes,
        List::Body,
    ] {
        let pages = Arc::<AtomicUsize>::default();
        let lists = Lists {
            list: kind,
            pages: Arc::clone(&pages),
        };
        let url = served(Router::new().route("/mcp", post(list)).with_state(lists)).await;
        let mut settings = http("endless", &format!("{url}/mcp"));
        settings.max_message_bytes = 1024 * 1024;
        let (pool, tools) = one(settings);
        let listed = tools.list_server("endless").await;
        assert!(
            matches!(
                listed,
                Err(CallError::Unavailable { .. } | CallError::Flooded { .. })
            ),
            "{kind:?}: {:?}",
            listed.map(|tools| tools.tools.len())
        );
        let requested = pages.load(Ordering::SeqCst);
        assert!(requested < PAGES, "{kind:?}: {requested} pages");
        let status = pool.status().remove(0);
        assert!(status.last_error.is_some(), "{kind:?}: {status:?}");
        pool.close().await;
    }
    let grown = peak_kib().saturating_sub(before);
    assert!(grown <= ALLOWED_KIB, "RSS grew by {grown} KiB");
}

/// Sender of the server's event stream.
type EventSender = Arc<Mutex<Option<mpsc::Sender<Bytes>>>>;

fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

async fn stream(State(event_sender): State<EventSender>) -> Response {
    let (sender, receiver) = mpsc::channel(8);
    sender
        .try_send(Bytes::from("event: endpoint\ndata: /messages\n\n"))
        .unwrap();
    *event_sender.lock().unwrap() = Some(sender);
    let pieces = futures::stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        Some((Ok::<_, std::io::Error>(piece), receiver))
    });
    (
        [("content-type", "text/event-stream")],
        Body::from_stream(pieces),
    )
        .into_response()
}

async fn take(State(event_sender): State<EventSender>, Json(message): Json<Value>) -> StatusCode {
    let sender = event_sender.lock().unwrap().clone().unwrap();
    let result = match message["method"].as_str() {
        Some("initialize") => initialized(&message),
        Some("tools/list") => {
            let names = ["notifications", "requests", "bytes", "line"];
            json!({"tools": names.map(|name| tool(name, "d"))})
        }
        Some("tools/call") => {
            let piece = match message["params"]["name"].as_str().unwrap() {
                "notifications" => event(
                    &json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}),
                )
                .repeat(100),
                "requests" => {
                    event(&json!({"jsonrpc": "2.0", "id": 7, "method": "roots/list"})).repeat(100)
                }
                "bytes" => ": nothing at all\n".repeat(4096),
                _ => "data: xxxxxxxxxx".repeat(4096),
            };
            let piece = Bytes::from(piece);
            tokio::spawn(async move { while sender.send(piece.clone()).await.is_ok() {} });
            return StatusCode::ACCEPTED;
        }
        _ => return StatusCode::ACCEPTED,
    };
    let answer = event(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
    sender.send(Bytes::from(answer)).await.unwrap();
    StatusCode::ACCEPTED
}

async fn older_server() -> ServerSettings {
    let app = Router::new()
        .route("/sse", get(stream))
        .route("/messages", post(take))
        .with_state(EventSender::default());
    let url = format!("{}/sse", served(app).await);
    let mut settings = http("older", &url);
    settings.transport = TransportSettings::Sse(HttpSettings {
        url,
        ..HttpSettings::default()
    });
    settings.max_message_bytes = 512 * 1024;
    settings
}

#[tokio::test]
async fn floods_over_server_sent_events_are_broken_off_in_bounded_memory() {
    let before = peak_kib();
    for (tool, kind) in [
        ("notifications", Flood::Messages),
        ("requests", Flood::Requests),
        ("bytes", Flood::Bytes),
        ("line", Flood::Bytes),
    ] {
        let (pool, tools) = one(older_server().await);
        let end = tools
            .call("older", tool, json!({}), CallOptions::default())
            .await;
        assert!(
            matches!(&end, Err(CallError::Flooded { flood, .. }) if *flood == kind),
            "{tool}: {end:?}"
        );
        assert!(matches!(
            pool.status()[0].state,
            ConnectionState::Failing { .. }
        ));
        pool.close().await;
    }
    let grown = peak_kib().saturating_sub(before);
    assert!(grown <= ALLOWED_KIB, "RSS grew by {grown} KiB");
}
