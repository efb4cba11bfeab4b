//! Metrics of tool calls.

use std::sync::LazyLock;

use prometheus::{IntCounterVec, Result};

use crate::exemplar::DurationHistogram;
use crate::factory::{LazyMetrics, MetricFactory};

/// Buckets of calls, in seconds.
const SECONDS: [f64; 10] = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 60.0];

/// The metrics, created on first use.
pub(crate) static METRICS: LazyMetrics<McpMetrics> =
    LazyLock::new(|| McpMetrics::new(&MetricFactory::shared()));

/// Metrics of tool calls.
pub(crate) struct McpMetrics {
    calls: IntCounterVec,
    seconds: DurationHistogram,
}

impl McpMetrics {
    pub(crate) fn new(make: &MetricFactory) -> Result<Self> {
        Ok(Self {
            calls: make.counters(
                "tarsy_mcp_calls_total",
                "Tool calls of this process, by result: ok, tool_error, refused, unavailable, timeout and others. \
                 A tool that its server does not have is `-`, and so is a list of tools that failed.",
                &["server", "tool", "result"],
            )?,
            seconds: make.durations(
                "tarsy_mcp_call_duration_seconds",
                "Time of a tool call, failed ones included.",
                &["server"],
                &SECONDS,
            )?,
        })
    }
}

/// Counts a call. `server` and `tool` must be known names, because a model can invent any.
pub fn called(server: &str, tool: &str, result: &'static str, seconds: f64) {
    if let Ok(metrics) = &*METRICS {
        let mcp = metrics;
        mcp.calls.with_label_values(&[server, tool, result]).inc();
        mcp.seconds.observe(&[server], seconds);
    }
}
