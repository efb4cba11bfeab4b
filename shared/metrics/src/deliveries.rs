//! Metrics of notifications to targets.

use std::sync::LazyLock;

use prometheus::{IntCounterVec, Result};

use crate::factory::{LazyMetrics, MetricFactory};

/// The metrics, created on first use.
pub(crate) static METRICS: LazyMetrics<IntCounterVec> =
    LazyLock::new(|| attempts(&MetricFactory::shared()));

/// Possible results of an attempt.
const RESULTS: [&str; 4] = ["sent", "retried", "rate_limited", "failed"];

fn attempts(make: &MetricFactory) -> Result<IntCounterVec> {
    make.counters(
        "tarsy_delivery_attempts_total",
        "Attempts of this process to notify a target, by result: sent, retried (it failed and is tried again), rate_limited, failed (for good).",
        &["target", "result"],
    )
}

/// Creates the series of a configured target, so that they start at 0.
pub fn serve(target: &str) {
    if let Ok(attempts) = &*METRICS {
        for result in RESULTS {
            attempts.with_label_values(&[target, result]);
        }
    }
}

/// Counts an attempt. `target` must be a configured one.
pub fn attempted(target: &str, result: &'static str) {
    if let Ok(attempts) = &*METRICS {
        attempts.with_label_values(&[target, result]).inc();
    }
}
