//! The history of finished sessions.

use super::reader::Reader;

/// Whether history is served, and how long it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistorySettings {
    /// `HISTORY_ENABLED`: whether the history API is enabled. Default true. Sessions are recorded either way, because
    /// the fleet works from these rows.
    pub enabled: bool,
    /// `HISTORY_RETENTION_DAYS`: days that finished sessions are kept. It overrides the file's
    /// `retention.history_days`, which defaults to 90.
    pub retention_days: Option<u32>,
}

impl HistorySettings {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Self {
        let enabled = reader.switch(
            "HISTORY_ENABLED",
            true,
            "whether the history API is enabled",
        );
        let days: Option<u32> = reader.parse(
            "HISTORY_RETENTION_DAYS",
            "90",
            "a number of days",
            "days that finished sessions are kept; overrides the file's `retention.history_days`",
        );
        if days == Some(0) {
            reader.problem(
                "`HISTORY_RETENTION_DAYS` is 0".to_owned(),
                "sessions would be deleted before anyone reads them",
            );
        }
        Self {
            enabled,
            retention_days: days,
        }
    }
}
