use std::future::pending;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::oneshot;

use super::*;

struct Echo;

impl ToolServer for Echo {
    const NAME: &'static str = "echo";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        Ok(vec![crate::tool(
            "echo",
            "Says it again.",
            json!({}),
            &[],
            ToolAnnotations::default(),
        )])
    }

    async fn call(&self, _: &str, _: Map<String, Value>) -> Result<Option<String>, String> {
        Ok(Some("echo".to_owned()))
    }
}

async fn start(stopped: impl Future<Output = ()> + Send + 'static) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve_http(Echo, listener, HttpOptions::default(), stopped));
    address
}

/// Returns everything that the server sends in answer to these bytes, until it closes the connection.
async fn answer(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

fn request(address: std::net::SocketAddr, headers: &str) -> String {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-06-18\r\n{headers}\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn a_page_of_another_origin_can_not_call() {
    let address = start(pending()).await;
    for headers in [
        String::new(),
        format!("origin: http://{address}\r\n"),
        format!("origin: HTTP://{address}\r\n").to_lowercase(),
    ] {
        let answered = answer(address, &request(address, &headers)).await;
        assert!(
            answered.starts_with("HTTP/1.1 200"),
            "{headers}: {answered}"
        );
    }
    for origin in [
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://localhost:3000",
        "null",
        "",
        "file://",
        &format!("http://{address}.evil.example"),
        &format!("http://{address}/"),
        &format!("{address}"),
    ] {
        let answered = answer(address, &request(address, &format!("origin: {origin}\r\n"))).await;
        assert!(answered.starts_with("HTTP/1.1 403"), "{origin}: {answered}");
    }
    let both = format!("origin: http://{address}\r\norigin: http://evil.example\r\n");
    assert!(
        answer(address, &request(address, &both))
            .await
            .starts_with("HTTP/1.1 403")
    );
}

/// Time is paused: it advances only while all tasks wait.
#[tokio::test(start_paused = true)]
async fn who_sends_no_end_of_a_request_is_hung_up_on() {
    let address = start(pending()).await;
    let begun = tokio::time::Instant::now();
    for part in ["", "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: "] {
        let answered = answer(address, part).await;
        assert!(!answered.contains("200"), "{answered}");
    }
    let whole = request(address, "");
    let answered = answer(address, &whole[..whole.len() - 1]).await;
    assert!(answered.starts_with("HTTP/1.1 408"), "{answered}");
    assert!(begun.elapsed() < READ_TIME * 4, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_server_that_is_stopped_ends() {
    let (stop, stopped) = oneshot::channel::<()>();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stopped = async move { _ = stopped.await };
    let serving = tokio::spawn(serve_http(Echo, listener, HttpOptions::default(), stopped));
    assert!(
        answer(address, &request(address, ""))
            .await
            .contains("echo")
    );
    // An idle connection does not delay the end.
    let _idle = TcpStream::connect(address).await.unwrap();
    drop(stop);
    serving.await.unwrap().unwrap();
}
