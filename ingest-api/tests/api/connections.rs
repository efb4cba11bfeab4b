//! Connections that clients hold open, and that they do not harm other connections.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_testing::wait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::live::watcher::Watcher;
use crate::server::{Server, alert};

/// Timeout of each step of a test.
const PATIENCE: Duration = Duration::from_secs(30);

async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.address).await.unwrap()
}

/// Opens a connection and sends these bytes.
async fn sent(server: &Server, bytes: &str) -> TcpStream {
    let mut stream = connect(server).await;
    stream.write_all(bytes.as_bytes()).await.unwrap();
    stream
}

/// Reads until the service closes the connection.
async fn until_closed(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset counts as closed too.
    let reading = stream.read_to_end(&mut bytes);
    let _ = tokio::time::timeout(PATIENCE, reading).await.unwrap();
    String::from_utf8(bytes).unwrap()
}

fn is_closed(stream: &TcpStream) -> bool {
    let read = stream.try_read(&mut [0; 1]);
    match read {
        Ok(n) => n == 0,
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
}

#[tokio::test]
async fn half_open_connections_make_room_for_a_probe() {
    let server = Server::with(&[
        ("OPENAI_API_KEY", "not-used"),
        ("TARSY_MAX_CONNECTIONS", "1000"),
        ("TARSY_HEADER_TIMEOUT", "1h"),
    ])
    .await;
    let mut half_open = Vec::new();
    for n in 0..1_100 {
        let head = if n % 2 == 0 {
            "GET /livez HTTP/1.1\r\nHost: lo"
        } else {
            ""
        };
        half_open.push(sent(&server, head).await);
    }
    assert_eq!(server.get("/livez").await.status, StatusCode::OK);
    let accepted = server.post("/alerts", &alert(json!({}))).await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED);
    wait::until("room to be made", PATIENCE, async || {
        half_open.iter().filter(|stream| is_closed(stream)).count() >= 100
    })
    .await;
}

/// Returns how many of six sockets open if an address may have three connections.
async fn sockets_of_one_address(trusted_proxies: &str) -> usize {
    let server = Server::with(&[
        ("OPENAI_API_KEY", "not-used"),
        ("TARSY_MAX_CONNECTIONS_PER_ADDRESS", "3"),
        ("TARSY_TRUSTED_PROXIES", trusted_proxies),
    ])
    .await;
    let mut open = Vec::new();
    for n in 0..6 {
        // A socket is never idle, so it is not closed to make room.
        let path = format!("/ws/dashboard/u{n}");
        let stream = connect(&server).await;
        let opened = Watcher::open(stream, &server, &path, Some("http://localhost:1")).await;
        open.extend(opened.ok());
    }
    open.len()
}

#[tokio::test]
async fn an_address_has_its_share() {
    assert_eq!(sockets_of_one_address("").await, 3);
}

#[tokio::test]
async fn a_trusted_proxy_has_no_share() {
    assert_eq!(sockets_of_one_address("127.0.0.0/8").await, 6);
}

#[tokio::test]
async fn who_never_ends_a_head_or_asks_nothing_more_is_let_go_and_a_socket_is_not() {
    let server = Server::with(&[
        ("OPENAI_API_KEY", "not-used"),
        ("TARSY_HEADER_TIMEOUT", "1s"),
        ("TARSY_IDLE_TIMEOUT", "1s"),
    ])
    .await;
    let mut watcher = Watcher::connect(&server, "ada").await;
    for head in ["", "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: b"] {
        assert_eq!(until_closed(sent(&server, head).await).await, "", "{head}");
    }
    let whole = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let answer = until_closed(sent(&server, whole).await).await;
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("\"alive\"}"),
        "{answer}"
    );
    // A complete request is followed by a second head that never ends.
    let answer = until_closed(sent(&server, &format!("{whole}GET /live")).await).await;
    assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{answer}");
    watcher.send(json!({"type": "ping"})).await;
    assert_eq!(watcher.next().await["type"], "pong");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let server =
        Server::with(&[("OPENAI_API_KEY", "not-used"), ("TARSY_BODY_TIMEOUT", "1s")]).await;
    let head = "POST /alerts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{";
    let answer = until_closed(sent(&server, head).await).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 408"), "{answer}");
    let problem: Value = serde_json::from_str(body).unwrap();
    assert_eq!(problem["code"], "request_timeout");
}

#[tokio::test]
async fn a_head_beyond_the_limit_is_refused() {
    let server = Server::start().await;
    let head = format!(
        "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: {}\r\n\r\n",
        "a".repeat(100_000)
    );
    let answer = until_closed(sent(&server, &head).await).await;
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431"),
        "{answer}"
    );
    assert_eq!(server.get("/livez").await.status, StatusCode::OK);
}
