//! The page of an app that was built.

use std::path::Path;

use crate::server::screens::nonce::{PLACEHOLDER, nonce};
use crate::server::screens::{absent, headers};
use axum::response::{Html, IntoResponse as _, Response};

/// The page in this file, with a nonce of its own. It names its app's files from the root, `base` first; `up` leads there
/// from where the page is opened, whatever prefix a proxy puts before that.
pub(super) async fn render(file: &Path, base: &str, up: &str) -> Response {
    let page = match tokio::fs::read_to_string(file).await {
        Ok(page) => page,
        // It was there a moment ago: somebody builds it anew.
        Err(error) => {
            tracing::warn!(error = %error, "the page of a screen could not be read");
            return absent::page();
        }
    };
    let nonce = nonce();
    let page = page
        .replace(PLACEHOLDER, &nonce)
        .replace(&format!("=\"{base}/"), &format!("=\"{up}"));
    let mut response = Html(page).into_response();
    headers::of_page(&mut response, &nonce);
    response
}
