//! Cursors by time, after Postgres' clock has gone back.

/// How far before now a cursor goes on that lies ahead of now, in µs.
///
/// Cursors hold times by Postgres' clock, so one is ahead of now only if that clock went back: a restored machine, a step
/// by NTP, a failover. What was accepted since then carries times before the cursor, and would never be looked at. Looking
/// at it again is harmless. Longer than chain workers are away.
pub(crate) const STEP_BACK_US: i64 = 3_600_000_000;
