//! What stands for the world outside.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse as _;
use tokio::net::TcpListener;

/// Who is told, and who has runbooks.
#[derive(Clone, Default)]
pub(crate) struct Outside {
    /// Ids of what was told.
    told: Arc<Mutex<Vec<String>>>,
}

impl Outside {
    /// Listen; the port.
    pub(crate) async fn start(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let told = Arc::clone(&self.told);
        let answer = move |request: Request| {
            if let Some(id) = request.headers().get("webhook-id") {
                let id = id.to_str().unwrap().to_owned();
                told.lock().unwrap().push(id);
            }
            async { ([("etag", "\"v1\"")], "# Disk\nFree some space.").into_response() }
        };
        tokio::spawn(async move {
            axum::serve(listener, Router::new().fallback(answer))
                .await
                .unwrap();
        });
        port
    }

    /// How often this was told.
    pub(crate) fn times_told(&self, id: &str) -> usize {
        let told = self.told.lock().unwrap();
        told.iter().filter(|told| *told == id).count()
    }
}
