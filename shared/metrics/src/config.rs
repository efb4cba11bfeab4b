//! Metrics of the configuration that a process uses.

use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::{Gauge, GaugeVec, IntCounterVec, Result};

use crate::factory::{LazyMetrics, MetricFactory};

/// Metrics of the configuration.
pub(crate) struct ConfigMetrics {
    hash: GaugeVec,
    reloads: IntCounterVec,
    successful: Gauge,
    succeeded_at: Gauge,
}

pub(crate) static METRICS: LazyMetrics<ConfigMetrics> =
    LazyLock::new(|| ConfigMetrics::register(&MetricFactory::shared()));

impl ConfigMetrics {
    fn register(maker: &MetricFactory) -> Result<Self> {
        let metrics = Self {
            hash: maker.gauges(
                "tarsy_config_info",
                "SHA-256 of the configuration file that this process runs; always 1.",
                &["hash"],
            )?,
            reloads: maker.counters(
                "tarsy_config_reloads_total",
                "Times that this process loaded its configuration again, by result: ok, failed.",
                &["result"],
            )?,
            successful: maker.one_gauge(
                "tarsy_config_last_reload_successful",
                "Whether the last load of the configuration succeeded.",
            )?,
            succeeded_at: maker.one_gauge(
                "tarsy_config_last_reload_success_timestamp_seconds",
                "When this process last loaded its configuration, in Unix time.",
            )?,
        };
        for result in ["ok", "failed"] {
            metrics.reloads.with_label_values(&[result]);
        }
        Ok(metrics)
    }

    fn runs(&self, hash: &str) {
        self.hash.reset();
        self.hash.with_label_values(&[hash]).set(1.0);
        self.successful.set(1.0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        self.succeeded_at.set(now.unwrap_or_default().as_secs_f64());
    }
}

/// Records that the process starts with the configuration of this hash.
pub fn started(hash: &str) {
    if let Ok(metrics) = &*METRICS {
        metrics.runs(hash);
    }
}

/// Records that the process has loaded the configuration of this hash.
pub fn loaded(hash: &str) {
    if let Ok(metrics) = &*METRICS {
        metrics.runs(hash);
        metrics.reloads.with_label_values(&["ok"]).inc();
    }
}

/// Records that a reload failed and the process keeps its configuration.
pub fn reload_failed() {
    if let Ok(metrics) = &*METRICS {
        metrics.successful.set(0.0);
        metrics.reloads.with_label_values(&["failed"]).inc();
    }
}
