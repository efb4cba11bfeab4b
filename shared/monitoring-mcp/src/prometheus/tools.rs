//! Names, descriptions and schemas of the tools over Prometheus.

use rmcp::model::Tool;
use serde_json::json;

use crate::answer::{reading, text};
use crate::window::{ranged, stepped};

pub(super) fn all() -> Vec<Tool> {
    let promql =
        || text("PromQL, e.g. sum by (pod) (rate(http_requests_total{namespace=\"shop\"}[5m]))");
    let search = |what: &str| text(&format!("words, each of which stands in {what}"));
    vec![
        reading(
            "query",
            "Value of a PromQL expression at one time, the greatest first.",
            json!({"query": promql(), "time": text("RFC 3339, seconds since 1970, or an age such as -30m; default now")}),
            &["query"],
        ),
        reading(
            "query_range",
            "How a PromQL expression goes over time: of each series minimum, maximum, last value, changes of its level, and a picture. Not the points.",
            stepped(json!({"query": promql()})),
            &["query"],
        ),
        reading(
            "metrics",
            "Names of metrics, with type and description.",
            json!({"search": search("the name or the description"), "selector": text("metrics of these series only, e.g. {namespace=\"shop\"}")}),
            &[],
        ),
        reading(
            "labels",
            "Labels of the series that a selector matches, with their values.",
            ranged(
                json!({"selector": text("e.g. http_requests_total{namespace=\"shop\"}"), "label": text("all values of this label, with the number of series of each")}),
            ),
            &["selector"],
        ),
        reading(
            "alerts",
            "Alerts that fire or are pending now.",
            json!({"search": search("name, labels or annotations")}),
            &[],
        ),
        reading(
            "rules",
            "Alerting and recording rules: expression, state, and why the evaluation fails.",
            json!({"search": search("name, expression or group")}),
            &[],
        ),
        reading(
            "targets",
            "What is scraped: up and down by job, and the error of each target that is down.",
            json!({"search": search("labels or address")}),
            &[],
        ),
    ]
}
