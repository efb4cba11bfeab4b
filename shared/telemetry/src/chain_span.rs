use std::fmt::Display;

use tracing::Span;

use crate::set_parent;

/// Span of a chain job. Chain workers run these jobs, and stage workers those that the end of a stage left to them.
///
/// A child of the span that `traceparent` names, if it does.
#[must_use]
pub fn advance_chain_span(session: impl Display, traceparent: Option<&str>) -> Span {
    let span = tracing::info_span!("advance chain", otel.kind = "consumer", session.id = %session);
    if let Some(parent) = traceparent {
        set_parent(&span, parent);
    }
    span
}
