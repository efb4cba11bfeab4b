//! Logs and traces.

use super::reader::Reader;

/// Logs and traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// `LOG_LEVEL`: trace, debug, info, warn, error or off. The names of Python's levels are accepted. Default info.
    pub level: &'static str,
    /// `RUST_LOG`: directives of `tracing`, which override the level. Default none.
    pub directives: Option<String>,
    /// `LOG_FORMAT`: text or json. Default text.
    pub format: LogFormat,
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`: endpoint that traces are sent to. Default none.
    pub otlp_endpoint: Option<String>,
    /// `OTEL_SERVICE_NAME`: the process's name in traces. Default: the name of the service.
    pub service_name: Option<String>,
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line.
    Json,
}

/// Accepted words. The first is the default.
pub(crate) const LEVELS: [&str; 8] = [
    "info", "trace", "debug", "warn", "warning", "error", "critical", "off",
];

impl LogSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let level = reader.choice(
            "LOG_LEVEL",
            &LEVELS,
            "log level: trace, debug, info, warn, error or off",
        );
        let directives = reader.text(
            "RUST_LOG",
            "none",
            "directives that override the level, e.g. `info,tarsy_queue=debug`",
        );
        let format =
            match reader.choice("LOG_FORMAT", &["text", "json"], "log format: text or json") {
                "json" => LogFormat::Json,
                _ => LogFormat::Text,
            };
        let otlp_endpoint = reader.text(
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "none",
            "OTLP/HTTP endpoint for traces, e.g. `http://localhost:4318`",
        );
        let service_name = reader.text(
            "OTEL_SERVICE_NAME",
            "name of the service",
            "service name in traces",
        );
        Self {
            level: canonical_level(level),
            directives: directives.map(str::to_owned),
            format,
            otlp_endpoint: otlp_endpoint.map(str::to_owned),
            service_name: service_name.map(str::to_owned),
        }
    }
}

/// Returns the level that a word stands for. The older documents use the levels of Python's logging.
pub(crate) fn canonical_level(level: &'static str) -> &'static str {
    match level {
        "warning" => "warn",
        "critical" => "error",
        level => level,
    }
}
