//! The OpenAPI document. `screens.rs` serves the page that shows it.

use axum::Router;
use axum::http::header;
use axum::routing::get;

use crate::server::state::AppState;

/// OpenAPI document. A test builds it from the routes and fails if this one differs
/// (`access/routes/described.rs`). Building it at each start would add a megabyte of code to the
/// program.
pub(crate) const DOCUMENT: &str = include_str!("../../openapi.json");

/// `GET /openapi.json`.
pub(crate) fn routes() -> Router<AppState> {
    let answer = async || ([(header::CONTENT_TYPE, "application/json")], DOCUMENT);
    Router::new().route("/openapi.json", get(answer))
}
