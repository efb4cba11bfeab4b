//! Creates a span for each request, except probes and scrapes, as a child of the caller's span.

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use tracing::Instrument as _;

/// Routes that monitors request all the time.
const UNTRACED: [&str; 4] = ["/livez", "/readyz", "/metrics", "/health"];

/// Runs a request inside a span that records its route and status.
pub(crate) async fn trace<F: Future<Output = Response>>(
    request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("-", MatchedPath::as_str);
    if UNTRACED.contains(&route) {
        return answer(request).await;
    }
    let method = request.method();
    let span = tracing::info_span!(
        "request",
        otel.name = %format_args!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = tracing::field::Empty,
        http.request.method = %method,
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
        span.record("otel.status_code", "ERROR");
        let _in = span.enter();
        tracing::warn!(
            http.response.status_code = response.status().as_u16(),
            "request was not carried out"
        );
    }
    response
}
