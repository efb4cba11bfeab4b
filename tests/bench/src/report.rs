//! Figures, as a table for people or lines for programs.

use serde_json::json;

/// One measured figure and the limit it is held against.
#[derive(Debug)]
pub(crate) struct Figure {
    /// Stable name, e.g. `ingest_rps`.
    pub(crate) name: &'static str,
    /// What was measured.
    pub(crate) value: f64,
    /// Of `value` and `limit`.
    pub(crate) unit: &'static str,
    /// What the machine, or the goal, gives; `None`: nothing to compare with.
    pub(crate) limit: Option<f64>,
}

impl Figure {
    /// A figure beside its limit.
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

/// The value below which `share` of the sorted samples lie (nearest rank).
pub(crate) fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or(f64::NAN)
}

/// Print what was found.
pub(crate) fn print(figures: &[Figure], as_json: bool) {
    if as_json {
        for f in figures {
            println!(
                "{}",
                json!({"name": f.name, "value": f.value, "unit": f.unit, "limit": f.limit, "ratio": f.ratio()})
            );
        }
        return;
    }
    println!(
        "{:<28} {:>12} {:<10} {:>12} {:>8}",
        "figure", "value", "unit", "limit", "ratio"
    );
    for f in figures {
        let limit = f
            .limit
            .map_or_else(|| "-".to_owned(), |l| format!("{l:.2}"));
        let ratio = f
            .ratio()
            .map_or_else(|| "-".to_owned(), |r| format!("{r:.2}"));
        println!(
            "{:<28} {:>12.2} {:<10} {:>12} {:>8}",
            f.name, f.value, f.unit, limit, ratio
        );
    }
}
