//! Corrects time cursors after Postgres' clock was set back.

/// How far before now a cursor restarts if it is in the future, in µs.
///
/// Cursors hold times of Postgres' clock, so a cursor in the future means that the clock was set back: by a restored
/// machine, an NTP step or a failover. Sessions accepted since then have times before the cursor and would never be
/// read. Reading some of them twice is harmless. The value is longer than chain workers are usually absent.
pub(crate) const STEP_BACK_US: i64 = 3_600_000_000;
