//! Figures of the sessions in a period.

pub(crate) mod handlers;

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_model::SessionStatus;
use tarsy_store::history::HourFigures;
use utoipa::ToSchema;

/// Metrics of the sessions that were accepted in a period.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Metrics {
    /// Length of the period in hours.
    pub(crate) hours: i64,
    /// Start of the period.
    pub(crate) from_us: i64,
    pub(crate) total_sessions: i64,
    /// Sessions that are pending or in progress.
    pub(crate) active_sessions: i64,
    pub(crate) completed_sessions: i64,
    pub(crate) failed_sessions: i64,
    pub(crate) cancelled_sessions: i64,
    /// Share of completed sessions among completed and failed ones, 0 to 1; null if there are none.
    pub(crate) success_rate: Option<f64>,
    pub(crate) average_duration_ms: Option<i64>,
    /// Alerts that were counted as duplicates.
    pub(crate) duplicates: i64,
    pub(crate) by_alert_type: BTreeMap<String, i64>,
    /// Hours, oldest first. Hours without a session are left out.
    pub(crate) by_hour: Vec<Hour>,
}

/// Metrics of one hour.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Hour {
    pub(crate) hour_us: i64,
    pub(crate) sessions: i64,
    pub(crate) failed: i64,
}

impl Metrics {
    pub(crate) fn from_hours(hours: i64, from_us: i64, figures: &[HourFigures]) -> Self {
        let mut metrics = Self {
            hours,
            from_us,
            ..Self::default()
        };
        let mut by_hour: BTreeMap<i64, Hour> = BTreeMap::new();
        let (mut ended, mut duration_ms) = (0, 0);
        for row in figures {
            metrics.total_sessions += row.sessions;
            metrics.duplicates += row.duplicates;
            *metrics
                .by_alert_type
                .entry(row.alert_type.clone())
                .or_default() += row.sessions;
            let hour = by_hour.entry(row.hour_us).or_insert_with(|| Hour {
                hour_us: row.hour_us,
                ..Hour::default()
            });
            hour.sessions += row.sessions;
            match row.status {
                SessionStatus::Pending | SessionStatus::InProgress => {
                    metrics.active_sessions += row.sessions
                }
                SessionStatus::Completed => metrics.completed_sessions += row.sessions,
                SessionStatus::Failed => {
                    metrics.failed_sessions += row.sessions;
                    hour.failed += row.sessions;
                }
                SessionStatus::Cancelled => metrics.cancelled_sessions += row.sessions,
            }
            ended += row.ended;
            duration_ms += row.duration_ms;
        }
        let judged = metrics.completed_sessions + metrics.failed_sessions;
        metrics.success_rate =
            (judged > 0).then(|| metrics.completed_sessions as f64 / judged as f64);
        metrics.average_duration_ms = (ended > 0).then(|| duration_ms / ended);
        metrics.by_hour = by_hour.into_values().collect();
        metrics
    }
}
