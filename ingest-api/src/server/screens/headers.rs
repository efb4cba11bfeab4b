//! Response headers of the apps: security policies and caching.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;

/// For a file whose name changes with its content.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// For everything else: browsers must revalidate it.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// For all pages and files of the apps.
const ALWAYS: [(HeaderName, HeaderValue); 5] = [
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
    ),
];

/// Headers of a page whose inline styles carry `nonce`.
pub(super) fn of_page(response: &mut Response, nonce: &str) {
    let policy = policy(nonce);
    let headers = response.headers_mut();
    headers.extend(ALWAYS);
    headers.insert(header::CACHE_CONTROL, ASK_AGAIN);
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// Headers of the file at `path` within its app.
pub(super) fn of_file(response: &mut Response, path: &str) {
    let keep = match path.starts_with("assets/") && response.status().is_success() {
        true => IMMUTABLE,
        false => ASK_AGAIN,
    };
    let headers = response.headers_mut();
    headers.extend(ALWAYS);
    headers.insert(header::CACHE_CONTROL, keep);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
}

/// Returns the content security policy. It allows nothing from other hosts, no inline scripts, and
/// inline styles only with the nonce. The page's own scripts (the component library) write such
/// styles. Text of a model or tool can't bring any.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}
