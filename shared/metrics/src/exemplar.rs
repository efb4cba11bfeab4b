//! Histograms of durations that store the id of a trace for each bucket.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::proto::LabelPair;
use prometheus::{HistogramOpts, HistogramVec, Result};

/// Returns the id of the current trace, if traces are on.
static TRACE_ID: OnceLock<fn() -> Option<String>> = OnceLock::new();

/// Exemplars of each histogram, by its name.
static FAMILIES: Mutex<BTreeMap<String, Arc<Exemplars>>> = Mutex::new(BTreeMap::new());

/// Sets the function that returns the id of the current trace. Only the first call has an effect.
pub fn trace_id_by(current: fn() -> Option<String>) {
    let _ = TRACE_ID.set(current);
}

/// A histogram of durations in seconds that stores the newest traced observation of each bucket.
#[derive(Clone, Debug)]
pub struct DurationHistogram {
    histogram: HistogramVec,
    labels: Vec<String>,
    bounds: Vec<f64>,
    exemplars: Arc<Exemplars>,
}

/// Exemplars by labels (sorted by name) and bucket. The last bucket has no bound.
#[derive(Debug, Default)]
pub(crate) struct Exemplars(Mutex<BTreeMap<Labels, Vec<Option<Exemplar>>>>);

type Labels = Vec<(String, String)>;

/// One observation and its trace.
#[derive(Clone, Debug)]
pub(crate) struct Exemplar {
    trace_id: String,
    seconds: f64,
    at: f64,
}

impl DurationHistogram {
    /// Creates a histogram without registering it.
    ///
    /// # Errors
    ///
    /// If the name or a label is invalid.
    pub fn new(name: &str, help: &str, labels: &[&str], buckets: &[f64]) -> Result<Self> {
        let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
        let histogram = HistogramVec::new(options, labels)?;
        let exemplars = lock(&FAMILIES).entry(name.to_owned()).or_default().clone();
        Ok(Self {
            histogram,
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            bounds: buckets.to_vec(),
            exemplars,
        })
    }

    /// Returns the histogram itself, for registration.
    #[must_use]
    pub fn collector(&self) -> HistogramVec {
        self.histogram.clone()
    }

    /// Creates a series, which starts at zero.
    pub fn begin(&self, values: &[&str]) {
        self.histogram.with_label_values(values);
    }

    /// Records a duration, and the trace that it belongs to.
    pub fn observe(&self, values: &[&str], seconds: f64) {
        self.histogram.with_label_values(values).observe(seconds);
        let Some(trace_id) = TRACE_ID.get().and_then(|current| current()) else {
            return;
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let exemplar = Exemplar {
            trace_id,
            seconds,
            at: now.map_or(0.0, |since| since.as_secs_f64()),
        };
        self.exemplars
            .note(self.labels_of(values), &self.bounds, exemplar);
    }

    fn labels_of(&self, values: &[&str]) -> Labels {
        let values = values.iter().map(|&value| value.to_owned());
        let mut labels: Labels = self.labels.iter().cloned().zip(values).collect();
        labels.sort();
        labels
    }
}

impl Exemplars {
    fn note(&self, labels: Labels, bounds: &[f64], exemplar: Exemplar) {
        let bucket = bounds.partition_point(|bound| *bound < exemplar.seconds);
        let mut known = lock(&self.0);
        let buckets = known
            .entry(labels)
            .or_insert_with(|| vec![None; bounds.len() + 1]);
        if let Some(place) = buckets.get_mut(bucket) {
            *place = Some(exemplar);
        }
    }

    /// Returns the exemplars of a series, by bucket.
    pub(crate) fn with_labels(&self, labels: &[LabelPair]) -> Vec<Option<Exemplar>> {
        let labels: Labels = labels
            .iter()
            .map(|pair| (pair.name().to_owned(), pair.value().to_owned()))
            .collect();
        lock(&self.0).get(&labels).cloned().unwrap_or_default()
    }
}

impl Exemplar {
    /// Appends the exemplar to a sample, in the syntax of `OpenMetrics`.
    pub(crate) fn append_to(&self, line: &mut String) {
        let Self {
            trace_id,
            seconds,
            at,
        } = self;
        let _ = write!(line, " # {{trace_id=\"{trace_id}\"}} {seconds} {at:.3}");
    }
}

/// Returns the exemplars of a histogram.
pub(crate) fn of_family(name: &str) -> Option<Arc<Exemplars>> {
    lock(&FAMILIES).get(name).cloned()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
