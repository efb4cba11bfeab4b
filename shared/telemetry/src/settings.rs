//! Settings of logs and traces.

/// Log format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// One line of text for people.
    #[default]
    Text,
}

/// Log and trace settings of a process.
#[derive(Clone, Debug)]
pub struct LogSettings {
    /// Name of the process in traces, e.g. `stage-worker`.
    pub service_name: String,
    /// Form of a line; default text.
    pub format: LogFormat,
    /// Filter directives in the syntax of `RUST_LOG`; of a level: [`filter_of`]. Default level info.
    pub filter: String,
    /// OTLP endpoint, e.g. `http://collector:4318`; default none.
    pub otlp_endpoint: Option<String>,
}

impl LogSettings {
    /// Text logs at level info, no traces.
    #[must_use]
    pub fn new(service_name: impl Into<String>) -> Self {
        Self {
            service_name: service_name.into(),
            format: LogFormat::default(),
            filter: filter_of("info"),
            otlp_endpoint: None,
        }
    }
}

/// The filter of a level (`trace`, `debug`, `info`, `warn`, `error`, `off`): our own crates at that level,
/// libraries that log bodies, headers or every frame at no more than warn.
#[must_use]
pub fn filter_of(level: &str) -> String {
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
    if !matches!(level, "trace" | "debug" | "info") {
        return filter;
    }
    for library in HELD_DOWN {
        filter.push_str(&format!(",{library}=warn"));
    }
    filter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_held_down_and_never_raised() {
        assert!(LogSettings::new("x").filter.starts_with("info,genai=warn"));
        assert!(filter_of("trace").starts_with("trace,genai=warn"));
        assert_eq!(filter_of("error"), "error");
        assert_eq!(filter_of("off"), "off");
    }
}
