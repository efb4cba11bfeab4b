//! Metrics of repairs to the messages of peers that deviate slightly from their protocol (`docs/COMPATIBILITY.md`).

use std::sync::LazyLock;

use prometheus::{IntCounterVec, Result};

use crate::factory::{LazyMetrics, MetricFactory};

/// The metrics, created on first use.
pub(crate) static METRICS: LazyMetrics<RepairMetrics> =
    LazyLock::new(|| RepairMetrics::new(&MetricFactory::shared()));

pub(crate) struct RepairMetrics {
    llm: IntCounterVec,
    mcp: IntCounterVec,
}

impl RepairMetrics {
    pub(crate) fn new(make: &MetricFactory) -> Result<Self> {
        Ok(Self {
            llm: make.counters(
                "tarsy_llm_repairs_total",
                "Answers of LLM providers that this process repaired, and questions that it changed for them, by what was off.",
                &["provider", "repair"],
            )?,
            mcp: make.counters(
                "tarsy_mcp_repairs_total",
                "Answers of MCP servers that this process repaired, by what was off.",
                &["server", "repair"],
            )?,
        })
    }
}

/// Counts a repair for an LLM provider, by its configured name.
pub fn llm(provider: &str, repair: &'static str) {
    if let Ok(metrics) = &*METRICS {
        metrics.llm.with_label_values(&[provider, repair]).inc();
    }
}

/// Counts a repair for an MCP server, by its configured name.
pub fn mcp(server: &str, repair: &'static str) {
    if let Ok(metrics) = &*METRICS {
        metrics.mcp.with_label_values(&[server, repair]).inc();
    }
}
