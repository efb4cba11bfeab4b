//! The OpenAPI document. `screens.rs` serves the page that shows it.

use axum::Router;
use axum::http::header;
use axum::routing::get;

use crate::server::state::AppState;

/// Made of the routes by a test, which fails when it is another one (`access/routes/described.rs`): a program that
/// makes it at each start holds a megabyte of code for it.
pub(crate) const DOCUMENT: &str = include_str!("../../openapi.json");

/// `GET /openapi.json`.
pub(crate) fn routes() -> Router<AppState> {
    let answer = async || ([(header::CONTENT_TYPE, "application/json")], DOCUMENT);
    Router::new().route("/openapi.json", get(answer))
}
