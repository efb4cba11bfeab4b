//! Renders the page of a built app.

use std::path::Path;

use crate::server::screens::nonce::{PLACEHOLDER, nonce};
use crate::server::screens::{absent, headers};
use axum::response::{Html, IntoResponse as _, Response};

/// Renders the page in this file with a new nonce. The page names its app's files by absolute paths
/// that begin with `base`. They are replaced by `up`, the relative path to the base from where the
/// page is opened, so that any prefix of a proxy works.
pub(super) async fn render(file: &Path, base: &str, up: &str) -> Response {
    let page = match tokio::fs::read_to_string(file).await {
        Ok(page) => page,
        // The file existed a moment ago, so a build is probably replacing it.
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
