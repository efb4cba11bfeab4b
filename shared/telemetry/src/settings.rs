//! What an operator can set about logs and traces.

/// Shape of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// One line of text for people.
    #[default]
    Text,
}

/// Logs and traces of one process.
#[derive(Clone, Debug)]
pub struct LogSettings {
    /// Name of the process in traces, e.g. `stage-worker`; `OTEL_SERVICE_NAME` overrides it.
    pub service_name: String,
    /// `LOG_FORMAT`: `json` or `text`; default `text`.
    pub format: LogFormat,
    /// Filter directives. `RUST_LOG` in its own syntax, else `LOG_LEVEL` (`debug`, `info`,
    /// `warning`, `error`, any case) with the libraries held down; default `info`.
    pub filter: String,
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`, e.g. `http://collector:4318`. Off when unset or empty.
    pub otlp_endpoint: Option<String>,
}

/// A logging variable holds what it cannot hold.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable} is `{value}`, expected {expected}")]
pub struct InvalidSetting {
    /// The variable.
    pub variable: &'static str,
    /// What it holds.
    pub value: String,
    /// What it may hold.
    pub expected: &'static str,
}

impl LogSettings {
    /// Text logs at level info, no traces.
    #[must_use]
    pub fn new(service_name: impl Into<String>) -> Self {
        Self {
            service_name: service_name.into(),
            format: LogFormat::default(),
            filter: directives("info"),
            otlp_endpoint: None,
        }
    }

    /// Read the variables named at the fields through `lookup`.
    ///
    /// # Errors
    ///
    /// [`InvalidSetting`] for an unknown format or level.
    pub fn from_vars(
        service_name: impl Into<String>,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, InvalidSetting> {
        let set = |name: &str| lookup(name).filter(|value| !value.trim().is_empty());
        let mut settings = Self::new(service_name);
        if let Some(name) = set("OTEL_SERVICE_NAME") {
            settings.service_name = name;
        }
        if let Some(value) = set("LOG_FORMAT") {
            settings.format = match value.trim().to_ascii_lowercase().as_str() {
                "json" => LogFormat::Json,
                "text" => LogFormat::Text,
                _ => {
                    return Err(InvalidSetting {
                        variable: "LOG_FORMAT",
                        value,
                        expected: "json or text",
                    });
                }
            };
        }
        if let Some(filter) = set("RUST_LOG") {
            settings.filter = filter;
        } else if let Some(value) = set("LOG_LEVEL") {
            settings.filter = match value.trim().to_ascii_lowercase().as_str() {
                "trace" => directives("trace"),
                "debug" => directives("debug"),
                "info" => directives("info"),
                "warn" | "warning" => "warn".into(),
                "error" | "critical" => "error".into(),
                "off" => "off".into(),
                _ => {
                    return Err(InvalidSetting {
                        variable: "LOG_LEVEL",
                        value,
                        expected: "trace, debug, info, warning, error or off",
                    });
                }
            };
        }
        settings.otlp_endpoint = set("OTEL_EXPORTER_OTLP_ENDPOINT");
        Ok(settings)
    }
}

/// Our own crates at `level`; libraries that log bodies, headers or every frame at warn.
fn directives(level: &str) -> String {
    const HELD_DOWN: [&str; 9] = [
        "genai",
        "h2",
        "hyper",
        "hyper_util",
        "opentelemetry",
        "reqwest",
        "rmcp",
        "rustls",
        "sqlx",
    ];
    let mut filter = level.to_owned();
    for library in HELD_DOWN {
        filter.push_str(&format!(",{library}=warn"));
    }
    filter
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(vars: &[(&str, &str)]) -> Result<LogSettings, InvalidSetting> {
        LogSettings::from_vars("ingest-api", |name| {
            vars.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| (*v).to_owned())
        })
    }

    #[test]
    fn traces_are_off_and_logs_at_info_by_default() {
        let settings = read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]).unwrap();
        assert_eq!(settings.otlp_endpoint, None);
        assert!(settings.filter.starts_with("info,genai=warn"));
    }

    #[test]
    fn rust_log_wins_over_log_level_and_python_names_are_understood() {
        assert_eq!(read(&[("LOG_LEVEL", "WARNING")]).unwrap().filter, "warn");
        assert_eq!(
            read(&[("LOG_LEVEL", "error"), ("RUST_LOG", "tarsy_llm=trace")])
                .unwrap()
                .filter,
            "tarsy_llm=trace"
        );
        assert_eq!(
            read(&[("LOG_LEVEL", "loud")]).unwrap_err().to_string(),
            "LOG_LEVEL is `loud`, expected trace, debug, info, warning, error or off"
        );
    }
}
