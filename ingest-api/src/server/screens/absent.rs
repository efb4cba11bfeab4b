//! Page that is shown if the apps are not built.

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Response};

use crate::server::screens::headers;
use crate::server::screens::nonce::{PLACEHOLDER, nonce};

const PAGE: &str = include_str!("absent.html");

/// Returns a page that explains how to build the apps. The status is 404, so that no program
/// mistakes it for the dashboard.
pub(super) fn page() -> Response {
    let nonce = nonce();
    let page = PAGE.replace(PLACEHOLDER, &nonce);
    let mut response = (StatusCode::NOT_FOUND, Html(page)).into_response();
    headers::of_page(&mut response, &nonce);
    response
}
