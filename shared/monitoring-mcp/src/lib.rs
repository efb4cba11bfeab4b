//! Read-only MCP servers over Prometheus and Loki that answer in a form that models can use.
//!
//! A range of metrics becomes one line per series, with its extremes, its changes and a sparkline. Log lines are
//! grouped into patterns with counts and times. An answer that is too long is cut, with advice how to narrow the query.

mod answer;
mod loki;
mod patterns;
mod prometheus;
mod upstream;
mod window;

pub use loki::LokiServer;
pub use prometheus::PrometheusServer;
pub use upstream::{Login, Upstream, UpstreamError};
