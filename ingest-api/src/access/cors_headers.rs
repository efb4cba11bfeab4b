//! CORS and security headers.

use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

/// Content security policy of API responses. It allows loading nothing; pages set their own policy.
const POLICY: &str =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Allows cross-origin requests of these origins. They authenticate by key or token, without cookies.
pub(crate) fn cross_origin<S: Clone + Send + Sync + 'static>(
    routes: Router<S>,
    origins: &[String],
) -> Router<S> {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|o| o.parse().ok()).collect();
    if origins.is_empty() {
        return routes;
    }
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static("x-api-key"),
            HeaderName::from_static("idempotency-key"),
        ])
        .expose_headers([header::RETRY_AFTER, header::CONTENT_DISPOSITION])
        .max_age(Duration::from_secs(600));
    routes.layer(layer)
}

/// Security headers of every response.
#[derive(Clone, Debug)]
pub(crate) struct SecurityHeaders(Vec<(HeaderName, HeaderValue)>);

impl SecurityHeaders {
    /// Returns the headers, with `Strict-Transport-Security` unless `hsts` is zero.
    pub(crate) fn new(hsts: Duration) -> Self {
        let mut headers = vec![
            (
                header::CONTENT_SECURITY_POLICY,
                HeaderValue::from_static(POLICY),
            ),
            (
                header::X_CONTENT_TYPE_OPTIONS,
                HeaderValue::from_static("nosniff"),
            ),
            (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
            (
                header::REFERRER_POLICY,
                HeaderValue::from_static("no-referrer"),
            ),
        ];
        if !hsts.is_zero() {
            let value = format!("max-age={}; includeSubDomains", hsts.as_secs());
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.push((header::STRICT_TRANSPORT_SECURITY, value));
            }
        }
        Self(headers)
    }

    /// Adds the headers that a response does not set itself.
    pub(crate) fn add_to(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.0 {
            if !headers.contains_key(name) {
                headers.insert(name, value.clone());
            }
        }
    }
}
