//! No request waits for ever for a database that is gone without a word.

use std::time::Duration;

use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::problem::Problem;

/// Longest time for reading.
const READING: Duration = Duration::from_secs(20);
/// Longest time for what changes something: operators act on thousands of sessions at once.
const CHANGING: Duration = Duration::from_secs(120);

/// Give a request its time. One that takes longer is dropped, with the connection it waits on, and answered with
/// 503.
pub(crate) async fn deadline(request: Request, next: Next) -> Response {
    let limit = match request.method() {
        &Method::GET | &Method::HEAD => READING,
        _ => CHANGING,
    };
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            tracing::warn!(?limit, "a request took too long");
            Problem::DatabaseAway.into_response()
        }
    }
}
