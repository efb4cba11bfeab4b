//! Timeout of requests.

use std::time::Duration;

use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::problem::Problem;
use crate::server::state::AppState;
use crate::sessions as history;

const READING: Duration = Duration::from_secs(20);
/// Timeout of writes. It is longer, because operators can act on thousands of sessions at once.
const CHANGING: Duration = Duration::from_secs(120);

/// Runs a request with its timeout. A slower request is dropped, together with its database
/// connection, and answered with 503.
pub(crate) async fn deadline(app: &AppState, request: Request, next: Next) -> Response {
    let limit = match request.method() {
        &Method::GET | &Method::HEAD => READING,
        _ => CHANGING,
    };
    match tokio::time::timeout(limit, history::read(app.replica.as_ref(), request, next)).await {
        Ok(response) => response,
        Err(_) => {
            tracing::warn!(?limit, "a request took too long");
            Problem::DatabaseAway.into_response()
        }
    }
}
