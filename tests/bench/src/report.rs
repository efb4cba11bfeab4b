//! Reports figures as a table or as JSON lines.

use serde_json::json;

/// A measured figure with its limit.
#[derive(Debug)]
pub(crate) struct Figure {
    /// Stable name, e.g. `ingest_rps`.
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    /// Unit of `value` and `limit`.
    pub(crate) unit: &'static str,
    /// Limit of the machine, or the goal; `None`: no limit.
    pub(crate) limit: Option<f64>,
}

impl Figure {
    /// Creates a figure with its limit.
    pub(crate) fn new(
        name: &'static str,
        value: f64,
        unit: &'static str,
        limit: Option<f64>,
    ) -> Self {
        Self {
            name,
            value,
            unit,
            limit,
        }
    }

    fn ratio(&self) -> Option<f64> {
        self.limit
            .filter(|limit| *limit > 0.0)
            .map(|limit| self.value / limit)
    }
}

/// Returns the `share` percentile of sorted samples (nearest rank).
pub(crate) fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or(f64::NAN)
}

/// Prints figures as they are measured.
#[derive(Debug)]
pub(crate) struct Printer {
    as_json: bool,
    begun: bool,
}

impl Printer {
    /// Creates a printer of JSON lines or of a table.
    pub(crate) fn new(as_json: bool) -> Self {
        Self {
            as_json,
            begun: false,
        }
    }

    pub(crate) fn print(&mut self, f: Figure) {
        if self.as_json {
            println!(
                "{}",
                json!({"name": f.name, "value": f.value, "unit": f.unit, "limit": f.limit, "ratio": f.ratio()})
            );
            return;
        }
        if !self.begun {
            self.begun = true;
            println!(
                "{:<28} {:>12} {:<10} {:>12} {:>8}",
                "figure", "value", "unit", "limit", "ratio"
            );
        }
        let or_dash =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.2}"));
        println!(
            "{:<28} {:>12.2} {:<10} {:>12} {:>8}",
            f.name,
            f.value,
            f.unit,
            or_dash(f.limit),
            or_dash(f.ratio())
        );
    }
}
