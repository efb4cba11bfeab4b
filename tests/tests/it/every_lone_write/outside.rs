//! Fakes of external services.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use tokio::net::TcpListener;

/// A fake notification target and runbook server.
#[derive(Clone, Default)]
pub(crate) struct Outside {
    /// Ids of received notifications.
    received: Arc<Mutex<Vec<String>>>,
    /// Whether the first attempt of each message is rate limited.
    limits: Arc<AtomicBool>,
}

impl Outside {
    /// Starts the server. Returns its port.
    pub(crate) async fn start(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let received = Arc::clone(&self.received);
        let limits = Arc::clone(&self.limits);
        let answer = move |request: Request| {
            let mut is_limited = false;
            if let Some(id) = request.headers().get("webhook-id") {
                let id = id.to_str().unwrap().to_owned();
                let mut received = received.lock().unwrap();
                is_limited = limits.load(Ordering::SeqCst) && !received.contains(&id);
                received.push(id);
            }
            let answer = match is_limited {
                true => (
                    StatusCode::TOO_MANY_REQUESTS,
                    [("retry-after", "1")],
                    "later",
                )
                    .into_response(),
                false => ([("etag", "\"v1\"")], "# Disk\nFree some space.").into_response(),
            };
            async { answer }
        };
        tokio::spawn(async move {
            axum::serve(listener, Router::new().fallback(answer))
                .await
                .unwrap();
        });
        port
    }

    /// Sets whether the first attempt of each message is rate limited.
    pub(crate) fn limit(&self, limits: bool) {
        self.limits.store(limits, Ordering::SeqCst);
    }

    /// Returns how often a notification with this id was received.
    pub(crate) fn times_received(&self, id: &str) -> usize {
        let received = self.received.lock().unwrap();
        received.iter().filter(|received| *received == id).count()
    }
}
