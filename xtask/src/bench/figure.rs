//! Figures as the benches print them, and the table of all.

use anyhow::{Context as _, Result};
use serde_json::Value;

/// One measured figure: `{name, value, unit, limit, ratio}`.
#[derive(Debug, PartialEq)]
pub(crate) struct Figure {
    line: String,
    name: String,
    value: f64,
    unit: String,
    limit: Option<f64>,
    ratio: Option<f64>,
}

impl Figure {
    /// From a line of a bench.
    pub(crate) fn read(line: &str) -> Result<Self> {
        let object: Value = serde_json::from_str(line)?;
        let text = |key: &str| object[key].as_str().with_context(|| format!("no {key}"));
        Ok(Self {
            name: text("name")?.to_owned(),
            value: object["value"].as_f64().context("no value")?,
            unit: text("unit")?.to_owned(),
            limit: object["limit"].as_f64(),
            ratio: object["ratio"].as_f64(),
            line: line.to_owned(),
        })
    }

    /// As it came.
    pub(crate) fn print_json(&self) {
        println!("{}", self.line);
    }

    fn row(&self) -> String {
        let number = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), short);
        let value = short(self.value);
        let (limit, ratio) = (number(self.limit), number(self.ratio));
        format!(
            "{:<30} {value:>10} {:<12} {limit:>10} {ratio:>7}",
            self.name, self.unit
        )
    }
}

/// Every figure beside its limit, which is what the machine or the goal gives.
pub(crate) fn print_table(figures: &[Figure]) {
    if figures.is_empty() {
        return;
    }
    println!(
        "{:<30} {:>10} {:<12} {:>10} {:>7}",
        "figure", "value", "unit", "limit", "ratio"
    );
    figures
        .iter()
        .for_each(|figure| println!("{}", figure.row()));
}

/// Three digits that say something.
fn short(number: f64) -> String {
    let digits = match number.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 => 2,
        _ => 3,
    };
    format!("{number:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_a_row() {
        let line = r#"{"name":"hop_p50","value":11.04,"unit":"ms","limit":6.0,"ratio":1.84}"#;
        let row = Figure::read(line).map(|figure| figure.row());
        assert_eq!(
            row.ok().as_deref(),
            Some("hop_p50                              11.0 ms                 6.00    1.84")
        );
    }

    #[test]
    fn a_figure_need_not_have_a_limit_but_a_name() {
        let read = Figure::read(r#"{"name":"a","value":1.0,"unit":"s","limit":null,"ratio":null}"#);
        assert!(read.is_ok_and(|figure| figure.row().ends_with("      -")));
        assert!(Figure::read(r#"{"value":1.0,"unit":"s"}"#).is_err());
    }
}
