//! Fakes of outside services.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use tokio::net::TcpListener;

/// A fake of notification targets and runbook servers.
#[derive(Clone, Default)]
pub(crate) struct Outside {
    /// Ids of received notifications.
    told: Arc<Mutex<Vec<String>>>,
    /// Whether each message is rate limited the first time.
    limits: Arc<AtomicBool>,
}

impl Outside {
    /// Listens; returns the port.
    pub(crate) async fn start(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let told = Arc::clone(&self.told);
        let limits = Arc::clone(&self.limits);
        let answer = move |request: Request| {
            let mut is_limited = false;
            if let Some(id) = request.headers().get("webhook-id") {
                let id = id.to_str().unwrap().to_owned();
                let mut told = told.lock().unwrap();
                is_limited = limits.load(Ordering::SeqCst) && !told.contains(&id);
                told.push(id);
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

    /// Rate limits each message the first time.
    pub(crate) fn limit(&self, limits: bool) {
        self.limits.store(limits, Ordering::SeqCst);
    }

    /// How often this id was received.
    pub(crate) fn times_told(&self, id: &str) -> usize {
        let told = self.told.lock().unwrap();
        told.iter().filter(|told| *told == id).count()
    }
}
