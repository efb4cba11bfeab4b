//! What a process says about itself.

use super::reader::Reader;

/// Logs and traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// `LOG_LEVEL`: error, warn, info, debug, trace, or `tracing` directives. Default info.
    pub level: String,
    /// `LOG_FORMAT`: text or json. Default text.
    pub format: LogFormat,
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`: where traces go. Default: nowhere.
    pub otlp_endpoint: Option<String>,
}

/// The form of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object a line.
    Json,
}

impl LogSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let level = reader
            .text(
                "LOG_LEVEL",
                "info",
                "error, warn, info, debug or trace, or directives, e.g. `info,tarsy_queue=debug`",
            )
            .unwrap_or("info")
            .to_ascii_lowercase();
        let format = match reader.choice(
            "LOG_FORMAT",
            &["text", "json"],
            "form of a log line: text or json",
        ) {
            "json" => LogFormat::Json,
            _ => LogFormat::Text,
        };
        let otlp_endpoint = reader
            .text(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "none",
                "OTLP/HTTP endpoint for traces, e.g. `http://localhost:4318`",
            )
            .map(str::to_owned);
        // The older documents write the levels of Python's logging.
        let level = match level.as_str() {
            "warning" => "warn".to_owned(),
            "critical" => "error".to_owned(),
            _ => level,
        };
        Self {
            level,
            format,
            otlp_endpoint,
        }
    }
}
