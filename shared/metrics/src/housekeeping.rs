//! Times at which the housekeeping duties of a chain worker last succeeded.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prometheus::Result;

use crate::factory::MetricFactory;

/// Duties of this process, by name.
static DUTIES: Mutex<BTreeMap<&'static str, DutyAge>> = Mutex::new(BTreeMap::new());

/// Time since a duty of this process succeeded.
#[derive(Clone, Copy, Debug)]
pub struct DutyAge {
    succeeded_at: Instant,
    longest: Duration,
}

impl DutyAge {
    /// Returns the time since the last success, or since the start if there was none.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.succeeded_at.elapsed()
    }

    /// Whether the last success is longer ago than it should be.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.age() > self.longest
    }
}

/// Registers a duty of the process, which should succeed at least once in `longest`.
pub fn started(duty: &'static str, longest: Duration) {
    let age = DutyAge {
        succeeded_at: Instant::now(),
        longest,
    };
    duties().insert(duty, age);
}

/// Records that a duty succeeded.
pub fn succeeded(duty: &str) {
    if let Some(age) = duties().get_mut(duty) {
        age.succeeded_at = Instant::now();
    }
}

/// Returns every duty of this process.
#[must_use]
pub fn ages() -> BTreeMap<&'static str, DutyAge> {
    duties().clone()
}

/// Adds the ages to a scrape.
pub(crate) fn add(now: &MetricFactory) -> Result<()> {
    let ages = ages();
    if ages.is_empty() {
        return Ok(());
    }
    let gauge = now.gauges(
        "tarsy_housekeeping_age_seconds",
        "Time since a duty of this chain worker last succeeded here, in seconds.",
        &["duty"],
    )?;
    for (duty, age) in ages {
        gauge
            .with_label_values(&[duty])
            .set(age.age().as_secs_f64());
    }
    Ok(())
}

fn duties() -> MutexGuard<'static, BTreeMap<&'static str, DutyAge>> {
    DUTIES.lock().unwrap_or_else(PoisonError::into_inner)
}
