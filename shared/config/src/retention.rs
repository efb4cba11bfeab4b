//! Retention periods.

use std::time::Duration;

use serde::Serialize;

use crate::fields::{Fields, Length, Whole, section};

section! {
    /// How long data is kept.
    struct RetentionFields("Retention") {
        /// Number of days that ended sessions are kept. Default: 90. `HISTORY_RETENTION_DAYS` overrides it.
        history_days: Whole<1, 36_500, u32>,
        /// How long events are kept for clients that reconnect. Default: 24h.
        events: Length,
    }
}

/// The `retention` section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Retention {
    /// How long finished sessions and everything that belongs to them are kept. Default 90 days;
    /// `HISTORY_RETENTION_DAYS` overrides it.
    pub history: Duration,
    /// How long events are kept for sockets that reconnect. Default 24 h.
    pub events: Duration,
}

const DAY: Duration = Duration::from_secs(86_400);

impl Default for Retention {
    fn default() -> Self {
        Self {
            history: DAY * 90,
            events: DAY,
        }
    }
}

impl Retention {
    pub(crate) fn read(fields: &Fields<'_>) -> Self {
        let keys = RetentionFields::FIELDS;
        let usual = Self::default();
        let days = fields.get(keys.history_days);
        Self {
            history: days.map_or(usual.history, |days| DAY * days),
            events: fields.get(keys.events).unwrap_or(usual.events),
        }
    }
}
