//! Trace context of sessions and jobs, in the form of W3C `traceparent`.

use std::collections::HashMap;

use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

const HEADER: &str = "traceparent";

/// Returns the current span as a W3C `traceparent`, to be stored with the work that it starts.
///
/// Returns `None` if traces are off.
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

/// Returns the id of the trace that the current span belongs to, if it is exported.
///
/// Returns `None` if traces are off.
#[must_use]
pub fn current_trace_id() -> Option<String> {
    let context = Span::current().context();
    let trace = context.span().span_context().clone();
    (trace.is_valid() && trace.is_sampled()).then(|| trace.trace_id().to_string())
}

/// Makes `span` a child of the span in `traceparent`, which may have run in another process.
///
/// Call it before the span is entered. It does nothing if the value is malformed or traces are off, because tracing
/// must never stop the traced work.
pub fn set_parent(span: &Span, traceparent: &str) {
    let headers = HashMap::from([(HEADER.to_owned(), traceparent.to_owned())]);
    let parent = TraceContextPropagator::new().extract(&headers);
    if parent.span().span_context().is_valid() {
        // `Err`: traces are off, or the span was already entered.
        let _ = span.set_parent(parent);
    }
}
