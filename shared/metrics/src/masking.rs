//! Metrics of masked values.

use std::sync::LazyLock;

use prometheus::{IntCounterVec, Result};

use crate::factory::{LazyMetrics, MetricFactory};

/// The metrics, created on first use.
pub(crate) static METRICS: LazyMetrics<MaskingMetrics> =
    LazyLock::new(|| MaskingMetrics::new(&MetricFactory::shared()));

pub(crate) struct MaskingMetrics {
    masked: IntCounterVec,
}

impl MaskingMetrics {
    pub(crate) fn new(make: &MetricFactory) -> Result<Self> {
        Ok(Self {
            masked: make.counters(
                "tarsy_masked_values_total",
                "Values that this process replaced, by kind. A text that is read again is masked again; `withheld` is a whole text.",
                &["kind"],
            )?,
        })
    }
}

/// Counts values that were replaced.
pub fn masked(kind: &str, values: usize) {
    if let Ok(metrics) = &*METRICS {
        let count = metrics.masked.with_label_values(&[kind]);
        count.inc_by(u64::try_from(values).unwrap_or(u64::MAX));
    }
}
