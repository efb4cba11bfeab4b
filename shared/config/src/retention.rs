//! Retention periods.

use std::time::Duration;

use serde::Serialize;

use crate::fields::Fields;
use crate::schema::scalars::Whole;

/// Values of `history_days`.
pub(crate) type Days = Whole<1, 36_500>;

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
        let usual = Self::default();
        let days: Option<u32> = fields.integer("history_days", Days::RANGE);
        let retention = Self {
            history: days.map_or(usual.history, |days| DAY * days),
            events: fields.duration("events").unwrap_or(usual.events),
        };
        fields.finish();
        retention
    }
}
