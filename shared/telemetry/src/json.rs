//! Log lines as JSON objects with the ids of their trace, session and stage.

use std::fmt;

use opentelemetry::Context;
use opentelemetry::trace::TraceContextExt as _;
use serde_json::{Map, Value};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// Fields of surrounding spans that are added to every line, because people search logs by them.
const IDS: [&str; 3] = ["session.id", "stage.execution_id", "job.id"];

/// Writes an event as one JSON object. It contains its fields, `timestamp`, `level`, `target` and its `span`, as well
/// as `trace_id`, `span_id` and [`IDS`] if there are any.
pub(crate) struct TracedJson(Format<Json>);

impl TracedJson {
    pub(crate) fn new() -> Self {
        let format = Format::default().json();
        Self(format.flatten_event(true).with_span_list(false))
    }
}

impl<S> FormatEvent<S, JsonFields> for TracedJson
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        let Some(object) = line.trim_end().strip_suffix('}') else {
            return writer.write_str(&line);
        };
        writer.write_str(object)?;
        for (name, id) in ids(context, object) {
            write!(writer, ",\"{name}\":{id}")?;
        }
        writer.write_str("}\n")
    }
}

/// Returns the ids of the trace and of the spans around an event, except those that the event contains itself.
fn ids<S>(context: &FmtContext<'_, S, JsonFields>, object: &str) -> Vec<(&'static str, Value)>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let mut ids = Vec::new();
    let current = Context::current();
    let trace = current.span().span_context().clone();
    if trace.is_valid() {
        ids.push(("trace_id", trace.trace_id().to_string().into()));
        ids.push(("span_id", trace.span_id().to_string().into()));
    }
    // The innermost span takes precedence.
    for span in context.event_scope().into_iter().flatten() {
        let extensions = span.extensions();
        let fields = extensions.get::<FormattedFields<JsonFields>>();
        let Some(fields) = fields.filter(|fields| IDS.iter().any(|id| fields.contains(id))) else {
            continue;
        };
        let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(fields) else {
            continue;
        };
        for name in IDS {
            let is_new = !ids.iter().any(|(known, _)| *known == name);
            if let (true, Some(id)) = (is_new, fields.remove(name)) {
                ids.push((name, id));
            }
        }
    }
    let own = object.split(",\"span\":{").next().unwrap_or(object);
    ids.retain(|(name, _)| !own.contains(&format!("\"{name}\":")));
    ids
}
