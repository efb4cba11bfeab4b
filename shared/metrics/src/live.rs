//! Metrics of events that are sent to live sockets.

use std::sync::LazyLock;

use prometheus::{IntCounter, IntCounterVec, Result};

use crate::factory::{LazyMetrics, MetricFactory};

/// The metrics, created on first use.
pub(crate) static METRICS: LazyMetrics<IntCounterVec> =
    LazyLock::new(|| events(&MetricFactory::shared()));

/// Counters of sent and of missed events. They exist only in processes that serve sockets.
static EVENTS: LazyLock<Option<[IntCounter; 2]>> = LazyLock::new(|| {
    let events = METRICS.as_ref().ok()?;
    Some(["told", "missed"].map(|result| events.with_label_values(&[result])))
});

fn events(make: &MetricFactory) -> Result<IntCounterVec> {
    make.counters(
        "tarsy_live_events_total",
        "Events for the live sockets of this process, counted for each socket, by result: told, missed (it reads too slowly and is told which).",
        &["result"],
    )
}

/// Creates both series, so that they start at 0.
pub fn serve() {
    LazyLock::force(&EVENTS);
}

/// Counts an event for one socket: sent if `is_told`, else missed.
pub fn event(is_told: bool) {
    if let Some([told, missed]) = &*EVENTS {
        let counter = if is_told { told } else { missed };
        counter.inc();
    }
}
