//! One span for each request, a child of the caller's.

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use tracing::Instrument as _;

/// Run a request inside a span that names its route and, in the end, its status.
pub(crate) async fn trace<F: Future<Output = Response>>(
    request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("-", MatchedPath::as_str);
    let span = tracing::info_span!(
        "request",
        http.request.method = %request.method(),
        http.route = route,
        http.response.status_code = tracing::field::Empty,
    );
    if let Some(parent) = request
        .headers()
        .get("traceparent")
        .and_then(|value| value.to_str().ok())
    {
        tarsy_telemetry::set_parent(&span, parent);
    }
    let response = answer(request).instrument(span.clone()).await;
    span.record("http.response.status_code", response.status().as_u16());
    if response.status().is_server_error() {
        let _in = span.enter();
        tracing::warn!(
            http.response.status_code = response.status().as_u16(),
            "request was not carried out"
        );
    }
    response
}
