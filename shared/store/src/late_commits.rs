//! Passes over new rows in the order of their times, while some rows commit late.

use std::time::Duration;

/// How far before its cursor a late pass looks, in µs: longer than any transaction may be frozen between its write and its
/// commit.
pub(crate) const LATE_US: i64 = 300_000_000;

/// A duration in µs, as statements take it.
pub(crate) fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
