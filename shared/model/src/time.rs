//! Time in whole microseconds since the Unix epoch.

use serde::{Deserialize, Serialize};

/// Microseconds since the Unix epoch.
///
/// In rows, only Postgres's clock sets these. A process uses its own clock only for times that no other process
/// compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
#[serde(transparent)]
pub struct UnixMicros(pub i64);

impl UnixMicros {
    /// Whole milliseconds from `earlier` to `self`; negative if the order is reversed.
    #[must_use]
    pub const fn millis_since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0) / 1_000
    }
}
