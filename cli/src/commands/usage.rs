//! `tarsy usage`: sums up tokens, cost, calls and durations.

use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;
use serde_json::Value;

use crate::client::Client;
use crate::output::{members, millis, number, text, time};
use crate::printing;
use crate::server::Server;
use crate::table::Table;

const PATH: &str = "/api/v1/usage";

/// Span, grouping and format.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Time span that ends now, e.g. `24h` or `7d`
    #[arg(long, default_value = "7d", value_parser = length)]
    since: Duration,
    /// Dimension to group by
    #[arg(long, default_value = "model", value_parser = PossibleValuesParser::new(["provider", "model", "chain", "agent", "tool"]))]
    by: String,
    /// Also show totals per time step
    #[arg(long, value_parser = PossibleValuesParser::new(["hour", "day", "week"]))]
    step: Option<String>,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
}

/// Parses `90m`, `24h`, `7d` or `8w`.
fn length(text: &str) -> Result<Duration, String> {
    let wanted = || "expected a length of time, e.g. `24h`, `7d`, `4w`".to_owned();
    let (count, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or_else(wanted)?;
    let seconds: u64 = match unit {
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return Err(wanted()),
    };
    let count: u64 = count.parse().map_err(|_| wanted())?;
    match count.checked_mul(seconds) {
        Some(seconds) if (1..=400 * 86_400).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        _ => Err("expected 1 minute to 400 days".to_owned()),
    }
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let from = now.saturating_sub(options.since).as_micros().to_string();
    let query = [
        ("from", from.as_str()),
        ("by", options.by.as_str()),
        ("step", options.step.as_deref().unwrap_or("day")),
    ];
    if options.csv {
        let mut query = query.to_vec();
        query.push(("format", "csv"));
        printing::out_bytes(client.file(PATH, &query).await?.as_bytes());
        return Ok(ExitCode::SUCCESS);
    }
    let usage = client.get_with(PATH, &query).await?;
    if options.json {
        println!("{usage}");
        return Ok(ExitCode::SUCCESS);
    }
    show(&usage, options).context("the server's answer is not a usage report")?;
    Ok(ExitCode::SUCCESS)
}

fn show(usage: &Value, options: &Options) -> Option<()> {
    let head = |first: &[&'static str]| {
        let mut head = first.to_vec();
        head.extend([
            "calls", "failed", "input", "cached", "output", "cost", "mean", "longest", "prices",
        ]);
        Table::new(&head)
    };
    if options.step.is_some() {
        let mut table = head(&["from", options_by(&options.by)]);
        for step in members(usage, "steps") {
            let mut cells = vec![time(step, "at_us").unwrap_or_default(), named(step)];
            cells.extend(sums(step));
            table.row(cells);
        }
        table.print("no calls");
        println!();
    }
    let mut table = head(&[options_by(&options.by)]);
    for group in members(usage, "groups") {
        let mut cells = vec![named(group)];
        cells.extend(sums(group));
        table.row(cells);
    }
    let total = usage.get("total")?;
    if members(usage, "groups").next().is_some() {
        let mut cells = vec!["total".to_owned()];
        cells.extend(sums(total));
        table.row(cells);
    }
    table.print("no calls");
    for model in members(usage, "not_priced") {
        println!("{}", not_priced(model));
    }
    if usage.get("is_summed_up") == Some(&Value::Bool(false)) {
        println!("older sessions are still being summed up; the figures rise until that is done");
    }
    Some(())
}

fn options_by(by: &str) -> &'static str {
    match by {
        "provider" => "provider",
        "chain" => "chain",
        "agent" => "agent",
        "tool" => "tool",
        _ => "model",
    }
}

/// Returns e.g. `not priced: openai/gpt-x, 1200000 tokens in 3 calls`.
fn not_priced(model: &Value) -> String {
    let tokens = number(model, "input_tokens") + number(model, "output_tokens");
    let name = format!("{}/{}", text(model, "provider"), text(model, "model"));
    let uncounted = match number(model, "uncounted_calls") {
        0 => String::new(),
        calls => format!(", {calls} of them without a count of tokens"),
    };
    crate::output::harmless(&format!(
        "not priced: {name}, {tokens} tokens in {} calls{uncounted}",
        number(model, "calls")
    ))
}

fn named(group: &Value) -> String {
    match text(group, "name") {
        "" => "(others)".to_owned(),
        name => name.to_owned(),
    }
}

fn sums(of: &Value) -> Vec<String> {
    let cost = of.get("cost_usd").and_then(Value::as_f64).unwrap_or(0.0);
    let least = match of.get("is_cost_complete") {
        Some(Value::Bool(false)) => "at least ",
        _ => "",
    };
    let took = |key| {
        of.get(key)
            .and_then(Value::as_i64)
            .map_or_else(|| "-".to_owned(), millis)
    };
    let prices: Vec<&str> = members(of, "prices").filter_map(Value::as_str).collect();
    vec![
        number(of, "calls").to_string(),
        number(of, "failed").to_string(),
        number(of, "input_tokens").to_string(),
        number(of, "cached_tokens").to_string(),
        number(of, "output_tokens").to_string(),
        format!("{least}${cost:.4}"),
        took("mean_duration_ms"),
        took("max_duration_ms"),
        prices.join(", "),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lengths_of_time_are_bounded() {
        assert_eq!(length("7d"), Ok(Duration::from_secs(7 * 86_400)));
        assert_eq!(length("90m"), Ok(Duration::from_secs(5_400)));
        for wrong in [
            "",
            "d",
            "7",
            "0h",
            "-1d",
            "401d",
            "7é",
            "99999999999999999999w",
        ] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_incomplete_cost_is_marked() {
        let complete = sums(&json!({"cost_usd": 1.5, "is_cost_complete": true}));
        assert_eq!(complete[5], "$1.5000");
        let part = sums(&json!({"cost_usd": 1.5, "is_cost_complete": false}));
        assert_eq!(part[5], "at least $1.5000");
        let model = json!({"provider": "openai", "model": "gpt-x", "calls": 3, "input_tokens": 1_000_000, "output_tokens": 200_000});
        assert_eq!(
            not_priced(&model),
            "not priced: openai/gpt-x, 1200000 tokens in 3 calls"
        );
    }
}
