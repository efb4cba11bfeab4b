//! Settings of logs and traces.

/// Log format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// One JSON object per line.
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
    /// Format of log lines; default text.
    pub format: LogFormat,
    /// Filter directives in the syntax of `RUST_LOG`. [`filter_of`] builds them for a level. Default level info.
    pub filter: String,
    /// OTLP endpoint, e.g. `http://collector:4318`; default none.
    pub otlp_endpoint: Option<String>,
}

impl LogSettings {
    /// Creates settings with text logs at level info and no traces.
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

/// Returns the filter for a level (`trace`, `debug`, `info`, `warn`, `error`, `off`). tarsy's own crates log at that
/// level. Libraries that log bodies, headers or every frame log at most at level warn.
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
