//! Trace context of sessions and jobs, as W3C `traceparent`.

use std::collections::HashMap;

use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

const HEADER: &str = "traceparent";

/// The current span as a W3C `traceparent`, to be stored next to the work it starts.
///
/// `None` while traces are off.
#[must_use]
pub fn current_traceparent() -> Option<String> {
    let context = Span::current().context();
    if !context.span().span_context().is_valid() {
        return None;
    }
    let mut headers = HashMap::new();
    TraceContextPropagator::new().inject_context(&context, &mut headers);
    headers.remove(HEADER)
}

/// Id of the trace that the current span belongs to, if it is exported.
///
/// `None` while traces are off.
#[must_use]
pub fn current_trace_id() -> Option<String> {
    let context = Span::current().context();
    let trace = context.span().span_context().clone();
    (trace.is_valid() && trace.is_sampled()).then(|| trace.trace_id().to_string())
}

/// Make `span` a child of the span that `traceparent` names, in whatever process that ran.
///
/// Call it before the span is entered. A malformed value, or traces being off, changes nothing:
/// tracing must never stop the work it describes.
pub fn set_parent(span: &Span, traceparent: &str) {
    let headers = HashMap::from([(HEADER.to_owned(), traceparent.to_owned())]);
    let parent = TraceContextPropagator::new().extract(&headers);
    if parent.span().span_context().is_valid() {
        // `Err`: traces are off, or the span was entered already.
        let _ = span.set_parent(parent);
    }
}
