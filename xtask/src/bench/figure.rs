//! Reads the figures that benchmarks print, and prints them as a table.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// One measured figure: `{name, value, unit, limit, ratio}`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    name: String,
    value: f64,
    unit: String,
    limit: Option<f64>,
    ratio: Option<f64>,
    spread: Option<Spread>,
}

/// Smallest and largest value of several runs.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    smallest: f64,
    largest: f64,
    runs: usize,
}

impl Figure {
    /// Parses a figure from a line of a benchmark.
    pub(crate) fn read(line: &str) -> Result<Self> {
        let object: Value = serde_json::from_str(line)?;
        let text = |key: &str| object[key].as_str().with_context(|| format!("no {key}"));
        Ok(Self {
            name: text("name")?.to_owned(),
            value: object["value"].as_f64().context("no value")?,
            unit: text("unit")?.to_owned(),
            limit: object["limit"].as_f64(),
            ratio: object["ratio"].as_f64(),
            spread: None,
        })
    }

    /// Prints the figure as JSON. A figure of several runs also has `min`, `max` and `runs`.
    pub(crate) fn print_json(&self) {
        println!("{}", self.json());
    }

    fn json(&self) -> Value {
        let mut object = json!({
            "name": self.name, "value": self.value, "unit": self.unit, "limit": self.limit, "ratio": self.ratio,
        });
        if let Some(spread) = self.spread {
            object["min"] = json!(spread.smallest);
            object["max"] = json!(spread.largest);
            object["runs"] = json!(spread.runs);
        }
        object
    }

    fn row(&self) -> String {
        let number = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), short);
        let value = short(self.value);
        let (limit, ratio) = (number(self.limit), number(self.ratio));
        let spread = self.spread.map_or_else(String::new, |spread| {
            let (smallest, largest) = (short(spread.smallest), short(spread.largest));
            format!("  {smallest} to {largest} in {} runs", spread.runs)
        });
        format!(
            "{:<30} {value:>10} {:<12} {limit:>10} {ratio:>7}{spread}",
            self.name, self.unit
        )
    }
}

/// Combines the figures of several runs into medians, with smallest and largest values. A ratio is the median of the
/// ratios of the runs.
pub(crate) fn of_runs(runs: &[Vec<Figure>]) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Vec::new();
    for figure in runs.iter().flatten() {
        if figures.iter().all(|known| known.name != figure.name) {
            let same = || {
                runs.iter()
                    .flatten()
                    .filter(|other| other.name == figure.name)
            };
            let median_of =
                |part: fn(&Figure) -> Option<f64>| median(same().filter_map(part).collect());
            let values = same().map(|figure| figure.value);
            let count = same().count();
            figures.push(Figure {
                value: median_of(|figure| Some(figure.value)).unwrap_or(figure.value),
                limit: median_of(|figure| figure.limit),
                ratio: median_of(|figure| figure.ratio),
                spread: (runs.len() > 1).then(|| Spread {
                    smallest: values.clone().fold(f64::INFINITY, f64::min),
                    largest: values.fold(f64::NEG_INFINITY, f64::max),
                    runs: count,
                }),
                ..figure.clone()
            });
        }
    }
    figures
}

/// Returns the median. For an even count it is the mean of the two middle numbers.
fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let (low, high) = (numbers.len().checked_sub(1)? / 2, numbers.len() / 2);
    Some(f64::midpoint(*numbers.get(low)?, *numbers.get(high)?))
}

/// Prints every figure next to its limit.
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

/// Formats a number with three significant digits.
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

    fn run(value: f64, limit: f64) -> Vec<Figure> {
        let ratio = value / limit;
        let line = format!(
            r#"{{"name":"stages","value":{value},"unit":"1/s","limit":{limit},"ratio":{ratio}}}"#
        );
        Figure::read(&line).into_iter().collect()
    }

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

    #[test]
    fn of_several_runs_the_median_and_the_spread_are_shown() {
        let figures = of_runs(&[
            run(30.0, 100.0),
            run(10.0, 20.0),
            Vec::new(),
            run(20.0, 50.0),
        ]);
        let objects: Vec<Value> = figures.iter().map(Figure::json).collect();
        assert_eq!(
            objects,
            [json!({
                "name": "stages", "value": 20.0, "unit": "1/s", "limit": 50.0, "ratio": 0.4,
                "min": 10.0, "max": 30.0, "runs": 3
            })]
        );
    }

    #[test]
    fn one_run_has_no_spread() {
        assert_eq!(of_runs(&[run(30.0, 100.0)]), run(30.0, 100.0));
    }

    #[test]
    fn the_median_of_two_is_between_them() {
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
    }
}
