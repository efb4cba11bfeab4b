//! Formats of a scrape: Prometheus's text format, or `OpenMetrics` if the scraper asks for it.

use prometheus::proto::{MetricFamily, MetricType};
use prometheus::{Result, TextEncoder};

use crate::exemplar::{Exemplar, of_family};

/// Content type of the text format.
const TEXT: &str = prometheus::TEXT_FORMAT;
/// Media type and content type of `OpenMetrics`.
const OPEN_METRICS_TYPE: &str = "application/openmetrics-text";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A rendered scrape.
#[derive(Clone, Debug)]
pub struct Exposition {
    /// Its content type.
    pub content_type: &'static str,
    /// The metrics.
    pub text: String,
}

impl Exposition {
    /// Renders metrics in the format that the scraper's `Accept` prefers. Only `OpenMetrics` contains exemplars,
    /// because `promtool` and other readers of the text format don't accept them.
    ///
    /// # Errors
    ///
    /// If a family is empty, which is a bug in the code that collected it.
    pub fn encode(families: &[MetricFamily], accept: Option<&str>) -> Result<Self> {
        Ok(match accept.is_some_and(prefers_open_metrics) {
            true => Self {
                content_type: OPEN_METRICS,
                text: open_metrics(families)?,
            },
            false => Self {
                content_type: TEXT,
                text: TextEncoder::new().encode_to_string(families)?,
            },
        })
    }
}

/// Whether an `Accept` header prefers `OpenMetrics` 1.0.0 to the text format, or accepts both equally.
fn prefers_open_metrics(accept: &str) -> bool {
    let (mut open, mut text) = (0.0, 0.0);
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        let (mut quality, mut version) = (1.0, None);
        for parameter in parts {
            match parameter.split_once('=') {
                Some(("q", value)) => quality = value.parse().unwrap_or(0.0),
                Some(("version", value)) => version = Some(value.trim_matches('"')),
                _ => {}
            }
        }
        if kind.eq_ignore_ascii_case(OPEN_METRICS_TYPE) && version.unwrap_or("1.0.0") == "1.0.0" {
            open = f64::max(open, quality);
        } else if kind.eq_ignore_ascii_case("text/plain") {
            text = f64::max(text, quality);
        }
    }
    open > 0.0 && open >= text
}

/// Renders the text format, family by family, with the differences of `OpenMetrics`: names of counters have no
/// `_total`, exemplars follow buckets, and the end is marked. Bounds of buckets are written as in the text format, so
/// that series keep their identity.
fn open_metrics(families: &[MetricFamily]) -> Result<String> {
    let encoder = TextEncoder::new();
    let mut all = String::new();
    for family in families {
        let name = family.name();
        let is_counter = family.get_field_type() == MetricType::COUNTER;
        let shown = match is_counter {
            true => name.strip_suffix("_total"),
            false => Some(name),
        };
        let mut exemplars = exemplars(family).into_iter();
        let bucket = format!("{name}_bucket{{");
        for line in encoder
            .encode_to_string(std::slice::from_ref(family))?
            .lines()
        {
            let head = |word: &str| line.strip_prefix(&format!("# {word} {name} "));
            if let Some(help) = head("HELP") {
                let help = help.replace('"', "\\\"");
                all.push_str(&format!("# HELP {} {help}", shown.unwrap_or(name)));
            } else if let Some(kind) = head("TYPE") {
                // `OpenMetrics` requires `_total` in the samples of a counter. Without it, the type is `unknown`.
                let kind = if shown.is_some() { kind } else { "unknown" };
                all.push_str(&format!("# TYPE {} {kind}", shown.unwrap_or(name)));
            } else {
                all.push_str(line);
                if line.starts_with(&bucket)
                    && let Some(Some(exemplar)) = exemplars.next()
                {
                    exemplar.append_to(&mut all);
                }
            }
            all.push('\n');
        }
    }
    all.push_str("# EOF\n");
    Ok(all)
}

/// Returns the exemplar of each bucket of a family, in the order of its lines.
fn exemplars(family: &MetricFamily) -> Vec<Option<Exemplar>> {
    let known = of_family(family.name());
    let mut all = Vec::new();
    for metric in family.get_metric() {
        // One more than the bounds, for values beyond the last bound.
        let buckets = metric.get_histogram().get_bucket().len() + 1;
        let mut of = known
            .as_ref()
            .map(|known| known.with_labels(metric.get_label()))
            .unwrap_or_default();
        of.resize(buckets, None);
        all.append(&mut of);
    }
    all
}

#[cfg(test)]
mod tests {
    use prometheus::core::Collector;
    use prometheus::{IntCounter, IntGauge};

    use super::*;
    use crate::DurationHistogram;

    #[test]
    fn open_metrics_is_for_those_who_ask() {
        let prometheus = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        assert!(prefers_open_metrics(prometheus));
        assert!(prefers_open_metrics("application/openmetrics-text"));
        for other in [
            "*/*",
            "text/plain",
            "",
            "application/openmetrics-text;version=0.0.1",
            "application/openmetrics-text;q=0",
            "application/openmetrics-text;q=0.2, text/plain;q=0.9",
        ] {
            assert!(!prefers_open_metrics(other), "{other}");
        }
    }

    #[test]
    fn buckets_have_exemplars_and_counters_their_name() {
        crate::exemplar::trace_id_by(|| Some("4bf92f3577b34da6a3ce929d0e0e4736".to_owned()));
        let times =
            DurationHistogram::new("t_seconds", "A \"time\".", &["b", "a"], &[0.1, 1.0]).unwrap();
        times.begin(&["x", "quiet"]);
        times.observe(&["x", "y"], 0.5);
        times.observe(&["x", "y"], 7.0);
        let calls = IntCounter::new("t_calls_total", "Calls.").unwrap();
        let odd = IntCounter::new("t_odd", "Odd.").unwrap();
        let level = IntGauge::new("t_level", "Level.").unwrap();
        let registry = prometheus::Registry::new();
        let all: [Box<dyn Collector>; 4] = [
            Box::new(times.collector()),
            Box::new(calls),
            Box::new(odd),
            Box::new(level),
        ];
        for one in all {
            registry.register(one).unwrap();
        }
        let families = registry.gather();

        let text = Exposition::encode(&families, Some("text/plain")).unwrap();
        assert!(!text.text.contains("trace_id"), "{}", text.text);
        let open = Exposition::encode(&families, Some(OPEN_METRICS_TYPE)).unwrap();
        assert_eq!(open.content_type, OPEN_METRICS);
        // Times differ between runs.
        let lines: Vec<&str> = open
            .text
            .lines()
            .map(|line| match line.rsplit_once(' ') {
                Some((left, _)) if line.contains("trace_id") => left,
                _ => line,
            })
            .collect();
        let expected = r##"
# HELP t_calls Calls.
# TYPE t_calls counter
t_calls_total 0
# HELP t_level Level.
# TYPE t_level gauge
t_level 0
# HELP t_odd Odd.
# TYPE t_odd unknown
t_odd 0
# HELP t_seconds A \"time\".
# TYPE t_seconds histogram
t_seconds_bucket{a="quiet",b="x",le="0.1"} 0
t_seconds_bucket{a="quiet",b="x",le="1"} 0
t_seconds_bucket{a="quiet",b="x",le="+Inf"} 0
t_seconds_sum{a="quiet",b="x"} 0
t_seconds_count{a="quiet",b="x"} 0
t_seconds_bucket{a="y",b="x",le="0.1"} 0
t_seconds_bucket{a="y",b="x",le="1"} 1 # {trace_id="4bf92f3577b34da6a3ce929d0e0e4736"} 0.5
t_seconds_bucket{a="y",b="x",le="+Inf"} 2 # {trace_id="4bf92f3577b34da6a3ce929d0e0e4736"} 7
t_seconds_sum{a="y",b="x"} 7.5
t_seconds_count{a="y",b="x"} 2
# EOF"##;
        assert_eq!(format!("\n{}", lines.join("\n")), expected);
    }
}
