//! The usage report as CSV.

use crate::sessions::export::line;
use crate::usage::{Sums, Usage};

const HEADER: [&str; 16] = [
    "at_us",
    "by",
    "name",
    "calls",
    "failed",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "cost_usd",
    "is_cost_complete",
    "unpriced_tokens",
    "uncounted_calls",
    "mean_duration_ms",
    "max_duration_ms",
    "prices",
    "row",
];

/// Formats a report. There is one line for each step and group (`row` is `step`), then the groups
/// (`group`) and the total (`total`). Models without a price follow, with one line each
/// (`not_priced`).
pub(crate) fn csv(usage: &Usage) -> String {
    let mut text = String::new();
    line(&mut text, HEADER.map(str::to_owned));
    let named = |name: &Option<String>| name.clone().unwrap_or_else(|| "(others)".to_owned());
    for step in &usage.steps {
        let at = step.at_us.to_string();
        line(
            &mut text,
            cells(at, usage.by, named(&step.name), &step.sums, "step"),
        );
    }
    let from = usage.from_us.to_string();
    for group in &usage.groups {
        let name = named(&group.name);
        line(
            &mut text,
            cells(from.clone(), usage.by, name, &group.sums, "group"),
        );
    }
    line(
        &mut text,
        cells(from.clone(), usage.by, String::new(), &usage.total, "total"),
    );
    for model in &usage.not_priced {
        let sums = Sums {
            calls: model.calls,
            input_tokens: model.input_tokens,
            output_tokens: model.output_tokens,
            unpriced_tokens: model.input_tokens + model.output_tokens,
            uncounted_calls: model.uncounted_calls,
            ..Sums::default()
        };
        let name = format!("{}/{}", model.provider, model.model);
        line(
            &mut text,
            cells(from.clone(), "model", name, &sums, "not_priced"),
        );
    }
    text
}

fn cells(at: String, by: &str, name: String, sums: &Sums, row: &str) -> [String; HEADER.len()] {
    let shown = |ms: Option<i64>| ms.map(|ms| ms.to_string()).unwrap_or_default();
    [
        at,
        by.to_owned(),
        name,
        sums.calls.to_string(),
        sums.failed.to_string(),
        sums.input_tokens.to_string(),
        sums.cached_tokens.to_string(),
        sums.output_tokens.to_string(),
        sums.cost_usd.to_string(),
        sums.is_cost_complete.to_string(),
        sums.unpriced_tokens.to_string(),
        sums.uncounted_calls.to_string(),
        shown(sums.mean_duration_ms),
        shown(sums.max_duration_ms),
        sums.prices.join("; "),
        row.to_owned(),
    ]
}
