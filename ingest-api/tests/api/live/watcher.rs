//! WebSocket client of the tests.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_model::SessionId;
use tarsy_queue::Waker;
use tarsy_store::events::NewEvent;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::server::Server;

/// Timeout of each step of a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Client of a WebSocket.
pub(crate) struct Watcher {
    socket: WebSocketStream<TcpStream>,
}

impl Watcher {
    /// Opens a socket as a page of this machine does, and reads the greeting.
    pub(crate) async fn connect(server: &Server, user: &str) -> Self {
        let stream = TcpStream::connect(server.address).await.unwrap();
        Self::over(stream, server, user).await
    }

    pub(crate) async fn over(stream: TcpStream, server: &Server, user: &str) -> Self {
        let origin = Some("http://localhost:5173");
        let mut watcher = Self::open(stream, server, &format!("/ws/dashboard/{user}"), origin)
            .await
            .unwrap();
        let greeting = watcher.next().await;
        assert_eq!(
            (&greeting["type"], &greeting["user_id"]),
            (&json!("connection_established"), &json!(user))
        );
        watcher
    }

    pub(crate) async fn open(
        stream: TcpStream,
        server: &Server,
        path: &str,
        origin: Option<&str>,
    ) -> Result<Self, tungstenite::Error> {
        let host = server.address.to_string();
        Self::open_as(&host, stream, server, path, origin).await
    }

    /// Like [`Self::open`], with this host name.
    pub(crate) async fn open_as(
        host: &str,
        stream: TcpStream,
        server: &Server,
        path: &str,
        origin: Option<&str>,
    ) -> Result<Self, tungstenite::Error> {
        let mut headers = vec![("host", host)];
        headers.extend(origin.map(|origin| ("origin", origin)));
        Self::open_with(stream, server, path, &headers).await
    }

    /// Like [`Self::open`], with these headers.
    pub(crate) async fn open_with(
        stream: TcpStream,
        server: &Server,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, tungstenite::Error> {
        stream.set_nodelay(true).unwrap();
        let mut request = server
            .url(path)
            .replacen("http", "ws", 1)
            .into_client_request()
            .unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        Ok(Self {
            socket: client_async(request, stream).await?.0,
        })
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    pub(crate) async fn subscribe(&mut self, channel: &str) -> Value {
        self.send(json!({"type": "subscribe", "channel": channel}))
            .await;
        let answer = self.next().await;
        assert_eq!(
            (&answer["type"], &answer["success"]),
            (&json!("subscription_response"), &json!(true)),
            "{answer}"
        );
        answer
    }

    /// Returns the next message as text, or `None` if the service closed the socket.
    pub(crate) async fn next_text(&mut self) -> Option<String> {
        let next = async {
            loop {
                match self.socket.next().await? {
                    Ok(Message::Text(text)) => return Some(text.to_string()),
                    Ok(Message::Close(_)) | Err(_) => return None,
                    Ok(_) => {}
                }
            }
        };
        tokio::time::timeout(PATIENCE, next)
            .await
            .expect("a message")
    }

    /// Returns the code and reason with which the service closes the socket.
    pub(crate) async fn closed(&mut self) -> (u16, String) {
        let close = async {
            loop {
                let message = self.socket.next().await.expect("an open socket");
                if let Message::Close(Some(frame)) = message.unwrap() {
                    return (frame.code.into(), frame.reason.to_string());
                }
            }
        };
        tokio::time::timeout(PATIENCE, close).await.expect("an end")
    }

    pub(crate) async fn next(&mut self) -> Value {
        let text = self.next_text().await.expect("an open socket");
        serde_json::from_str(&text).unwrap()
    }

    /// Returns the number in the next event of [`tell`].
    pub(crate) async fn next_number(&mut self) -> i64 {
        let message = self.next().await;
        message["data"]["n"]
            .as_i64()
            .unwrap_or_else(|| panic!("not an event: {message}"))
    }
}

/// Creates an event about a session with the number `n`.
pub(crate) fn event(session: SessionId, n: i64) -> NewEvent {
    NewEvent {
        session_id: Some(session),
        kind: "session_status_change",
        payload: json!({"n": n}),
    }
}

/// Publishes events, as a worker does.
pub(crate) async fn publish(
    db: &PgPool,
    session: SessionId,
    numbers: impl IntoIterator<Item = i64>,
) {
    let events: Vec<_> = numbers.into_iter().map(|n| event(session, n)).collect();
    let mut tx = db.begin().await.unwrap();
    tarsy_store::events::publish(&mut tx, &events)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    wake(db).await;
}

pub(crate) async fn wake(db: &PgPool) {
    sqlx::query("select pg_notify($1, '')")
        .bind(tarsy_queue::EVENTS_CHANNEL)
        .execute(db)
        .await
        .unwrap();
}

/// Creates a real waker.
pub(crate) fn waker(db: &PgPool) -> Waker {
    Waker::new(db.clone())
}
