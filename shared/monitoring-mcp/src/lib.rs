//! MCP servers over Prometheus and Loki: they only read, and answer in words that a model can use.
//!
//! A range of metrics is a line for each series, with its ends, its changes and a picture. Log lines are grouped into patterns
//! with counts and times. What is too much is answered with how to narrow it.

mod answer;
mod loki;
mod patterns;
mod prometheus;
mod upstream;
mod window;

pub use loki::LokiServer;
pub use prometheus::PrometheusServer;
pub use upstream::{Login, Upstream, UpstreamError};
