//! Makes metrics and registers them.

use std::sync::LazyLock;

use prometheus::core::Collector;
use prometheus::{CounterVec, Gauge, GaugeVec, HistogramOpts, HistogramVec, IntCounterVec};
use prometheus::{Error, Opts, Registry, Result};

/// What is counted in this process.
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::new);

/// Metrics of one subject, made at the first use. An error is a bug in this crate, which scrapes report.
pub(crate) type Made<M> = LazyLock<Result<M>>;

/// Makes them now.
///
/// # Errors
///
/// If a name is invalid or taken.
pub(crate) fn make<M>(made: &'static Made<M>) -> Result<()> {
    match &**made {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::Msg(error.to_string())),
    }
}

/// Makes and registers metrics.
pub(crate) struct Maker(pub(crate) Registry);

impl Maker {
    /// In the registry of this process.
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

    /// Durations in seconds.
    pub(crate) fn durations(
        &self,
        name: &str,
        help: &str,
        labels: &[&str],
        buckets: &[f64],
    ) -> Result<HistogramVec> {
        let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
        self.add(HistogramVec::new(options, labels)?)
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
