use std::fmt::Display;

use tracing::Span;

use crate::set_parent;

/// Creates the span of a chain job. Chain workers run these jobs. Stage workers run those that follow the end of their
/// own stage.
///
/// It becomes a child of the span in `traceparent`, if that is given.
#[must_use]
pub fn advance_chain_span(session: impl Display, traceparent: Option<&str>) -> Span {
    let span = tracing::info_span!("advance chain", otel.kind = "consumer", session.id = %session);
    if let Some(parent) = traceparent {
        set_parent(&span, parent);
    }
    span
}
