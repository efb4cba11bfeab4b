//! Creates and registers metrics.

use std::sync::LazyLock;

use prometheus::core::Collector;
use prometheus::{CounterVec, Gauge, GaugeVec, IntCounterVec};
use prometheus::{Error, Opts, Registry, Result};

use crate::exemplar::DurationHistogram;

/// Prometheus registry of this process.
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::new);

/// Lazily created metrics of one subject. An error is a bug in this crate; scrapes report it.
pub(crate) type LazyMetrics<M> = LazyLock<Result<M>>;

/// Creates the metrics if they don't exist yet.
///
/// # Errors
///
/// If a name is invalid or already used.
pub(crate) fn make<M>(made: &'static LazyMetrics<M>) -> Result<()> {
    match &**made {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::Msg(error.to_string())),
    }
}

/// Creates and registers metrics.
pub(crate) struct MetricFactory(pub(crate) Registry);

impl MetricFactory {
    /// Returns the factory for the registry of this process.
    pub(crate) fn shared() -> Self {
        Self(REGISTRY.clone())
    }

    pub(crate) fn counters(
        &self,
        name: &str,
        help: &str,
        labels: &[&str],
    ) -> Result<IntCounterVec> {
        self.add(IntCounterVec::new(Opts::new(name, help), labels)?)
    }

    pub(crate) fn sums(&self, name: &str, help: &str, labels: &[&str]) -> Result<CounterVec> {
        self.add(CounterVec::new(Opts::new(name, help), labels)?)
    }

    pub(crate) fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> Result<GaugeVec> {
        self.add(GaugeVec::new(Opts::new(name, help), labels)?)
    }

    /// Creates and registers a histogram of durations in seconds.
    pub(crate) fn durations(
        &self,
        name: &str,
        help: &str,
        labels: &[&str],
        buckets: &[f64],
    ) -> Result<DurationHistogram> {
        let durations = DurationHistogram::new(name, help, labels, buckets)?;
        self.add(durations.collector())?;
        Ok(durations)
    }

    pub(crate) fn one_gauge(&self, name: &str, help: &str) -> Result<Gauge> {
        self.add(Gauge::new(name, help)?)
    }

    pub(crate) fn gauge(&self, name: &str, help: &str, value: f64) -> Result<()> {
        self.add(Gauge::new(name, help)?)?.set(value);
        Ok(())
    }

    fn add<C: Collector + Clone + 'static>(&self, collector: C) -> Result<C> {
        self.0.register(Box::new(collector.clone()))?;
        Ok(collector)
    }
}
