//! A WebSocket client of an API, which shows the events that the API has sent.

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tarsy_tests::SOON;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

pub(super) struct Watcher(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Watcher {
    /// Subscribes to all sessions, from the next event on.
    pub(super) async fn connect(url: &str) -> Self {
        let socket = url.replacen("http", "ws", 1) + "/ws/dashboard/eve";
        let mut request = socket.into_client_request().unwrap();
        // Without access control, only pages of this machine may subscribe.
        let page = url.parse().unwrap();
        request.headers_mut().insert("origin", page);
        let (socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
        let mut watcher = Self(socket);
        let subscribe = json!({"type": "subscribe", "channel": "dashboard_updates"}).to_string();
        watcher.0.send(Message::text(subscribe)).await.unwrap();
        watcher.next_of("subscription_response").await;
        watcher
    }

    /// Waits for the next event and returns its id.
    pub(super) async fn next_id(&mut self) -> i64 {
        self.next_of("dashboard_update").await["id"]
            .as_i64()
            .unwrap()
    }

    async fn next_of(&mut self, kind: &str) -> Value {
        let next = async {
            loop {
                let message = self.0.next().await.unwrap().unwrap();
                if let Message::Text(text) = message {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    if message["type"] == kind {
                        return message;
                    }
                }
            }
        };
        tokio::time::timeout(SOON, next).await.expect(kind)
    }
}
