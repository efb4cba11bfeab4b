//! The page of an app that was built.

use std::path::Path;

use super::nonce::{PLACEHOLDER, nonce};
use super::{absent, headers};
use axum::response::{Html, IntoResponse as _, Response};

/// The page in this file, with a nonce of its own.
pub(super) async fn of(file: &Path) -> Response {
    let page = match tokio::fs::read_to_string(file).await {
        Ok(page) => page,
        // It was there a moment ago: somebody builds it anew.
        Err(error) => {
            tracing::warn!(error = %error, "the page of a screen could not be read");
            return absent::page();
        }
    };
    let nonce = nonce();
    let mut response = Html(page.replace(PLACEHOLDER, &nonce)).into_response();
    headers::of_page(&mut response, &nonce);
    response
}
