//! Which log lines a process writes, as its environment and the configuration say.

use tarsy_config::Config;
use tarsy_config::settings::LogSettings;
use tarsy_telemetry::{LogFilter, filter_of};

/// Changes what a process logs.
#[derive(Clone, Debug)]
pub(crate) struct LogControl {
    settings: LogSettings,
    filter: LogFilter,
}

impl LogControl {
    pub(crate) fn new(settings: &LogSettings, filter: LogFilter) -> Self {
        Self {
            settings: settings.clone(),
            filter,
        }
    }

    /// Logs as this configuration says: `RUST_LOG` wins over its `log_level`, which wins over `LOG_LEVEL`.
    pub(crate) fn follow(&self, config: &Config) {
        if let Err(error) = self
            .filter
            .set(&directives(&self.settings, config.log_level))
        {
            tracing::error!(?error, "the log level can't be changed");
        }
    }
}

/// The directives that a process logs by; `level` is that of the configuration.
pub(crate) fn directives(settings: &LogSettings, level: Option<&str>) -> String {
    match &settings.directives {
        Some(directives) => directives.clone(),
        None => filter_of(level.unwrap_or(settings.level)),
    }
}
