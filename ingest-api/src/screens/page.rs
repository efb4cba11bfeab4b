//! The page of an app that was built.

use std::path::Path;

use axum::response::{Html, IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{absent, headers};

/// What the build writes where the nonce belongs (`ui/vite-app.js`).
pub(super) const PLACEHOLDER: &str = "TARSY_NONCE";

/// The page, with a nonce of its own.
pub(super) async fn of(folder: &Path) -> Response {
    let page = match tokio::fs::read_to_string(folder.join("index.html")).await {
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

/// 128 bits that nobody guesses.
pub(super) fn nonce() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 16]>())
}
