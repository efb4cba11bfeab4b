//! The log filter of a process, from its environment and the configuration.

use tarsy_config::Config;
use tarsy_config::settings::LogSettings;
use tarsy_telemetry::{LogFilter, filter_of};

/// Changes the log filter of the process.
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

    /// Applies the log level of this configuration. `RUST_LOG` overrides its `log_level`, which overrides `LOG_LEVEL`.
    pub(crate) fn follow(&self, config: &Config) {
        if let Err(error) = self
            .filter
            .set(&directives(&self.settings, config.log_level))
        {
            tracing::error!(?error, "the log level can't be changed");
        }
    }
}

/// Returns the filter directives of a process. `level` is the log level of the configuration.
pub(crate) fn directives(settings: &LogSettings, level: Option<&str>) -> String {
    match &settings.directives {
        Some(directives) => directives.clone(),
        None => filter_of(level.unwrap_or(settings.level)),
    }
}
