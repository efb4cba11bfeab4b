//! A server that forgets sessions, redirects within its origin, and sends instructions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{any, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tarsy_mcp::{CallError, CallOptions, ServerSettings};

use crate::support::{call, http, one};

/// Counts of handshakes and forgotten sessions, and the calls that arrived.
#[derive(Default)]
struct Server {
    greeted: AtomicUsize,
    forgotten: AtomicUsize,
    called: AtomicUsize,
}

impl Server {
    fn forget(&self) {
        self.forgotten
            .store(self.greeted.load(Ordering::SeqCst), Ordering::SeqCst);
    }
}

/// Starts a server at `/mcp/`. `/mcp` redirects there.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn serve() -> (Arc<Server>, ServerSettings) {
    let server = Arc::new(Server::default());
    let app = Router::new()
        .route("/mcp", any(async || Redirect::temporary("/mcp/")))
        .route("/mcp/", post(answer))
        .with_state(Arc::clone(&server));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, app).await });
    (
        server,
        http("forgetful", &format!("http://127.0.0.1:{port}/mcp")),
    )
}

#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn answer(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    Json(message): Json<Value>,
) -> Response {
    let id = message["id"].clone();
    let method = message["method"].as_str().unwrap_or_default();
    if method == "initialize" {
        let session = server.greeted.fetch_add(1, Ordering::SeqCst) + 1;
        let result = json!({
            "protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "forgetful", "version": "1"}, "instructions": format!("Ask for a pod first. {}", "x".repeat(9_000)),
        });
        let answer = Json(json!({"jsonrpc": "2.0", "id": id, "result": result}));
        return ([("mcp-session-id", session.to_string())], answer).into_response();
    }
    if id.is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    let session: usize = headers["mcp-session-id"].to_str().unwrap().parse().unwrap();
    if session <= server.forgotten.load(Ordering::SeqCst) {
        let error = json!({"code": -32_001, "message": "Session not found"});
        return Json(json!({"jsonrpc": "2.0", "id": id, "error": error})).into_response();
    }
    let tool = |name: &str, reads: bool| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": reads}});
    let result = match method {
        "tools/list" => json!({"tools": [tool("read", true), tool("restart", false)]}),
        _ => {
            server.called.fetch_add(1, Ordering::SeqCst);
            json!({"content": [{"type": "text", "text": "done"}]})
        }
    };
    Json(json!({"jsonrpc": "2.0", "id": id, "result": result})).into_response()
}

#[tokio::test]
async fn a_forgotten_session_is_begun_anew_and_a_read_is_repeated() {
    let (server, settings) = serve().await;
    let (_pool, tools) = one(settings);
    assert_eq!(call(&tools, "read", json!({})).await.text, "done");
    server.forget();
    assert_eq!(call(&tools, "read", json!({})).await.text, "done");
    assert_eq!(server.greeted.load(Ordering::SeqCst), 2);
    assert_eq!(server.called.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_change_is_not_repeated_and_the_next_call_works() {
    let (server, settings) = serve().await;
    let (_pool, tools) = one(settings);
    let restart = async || {
        tools
            .call("forgetful", "restart", json!({}), CallOptions::default())
            .await
    };
    restart().await.unwrap();
    server.forget();
    let end = restart().await;
    assert!(matches!(end, Err(CallError::Protocol { .. })), "{end:?}");
    assert_eq!(server.called.load(Ordering::SeqCst), 1);
    restart().await.unwrap();
    assert_eq!(server.called.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn tools_are_listed_over_a_new_session_and_with_the_instructions_of_the_server() {
    let (server, settings) = serve().await;
    let (_pool, tools) = one(settings);
    // The first session is forgotten before any request in it.
    server.forgotten.store(1, Ordering::SeqCst);
    let listing = tools.list().await;
    assert_eq!(listing.tools.len(), 2, "{:?}", listing.unavailable);
    assert_eq!(server.greeted.load(Ordering::SeqCst), 2);
    let (of, instructions) = &listing.instructions[0];
    assert!(of == "forgetful" && instructions.starts_with("Ask for a pod first."));
    assert!(instructions.ends_with(" [cut]") && instructions.len() < 4_100);
}
