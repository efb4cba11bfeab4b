//! Helpers for passes over new rows in the order of their times, while some rows commit late.

use std::time::Duration;

/// How far before its cursor a pass for late rows searches, in µs. Longer than a transaction can be frozen between its
/// write and its commit.
pub(crate) const LATE_US: i64 = 300_000_000;

/// Converts a duration to µs, for parameters of statements.
pub(crate) fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
