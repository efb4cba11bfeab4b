//! `tarsy partitions`: shows the partitions of growing tables, and partitions tables that have none.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use serde_json::{Value, json};
use tarsy_config::{Environment, Settings};
use tarsy_store::partitions::{Partition, PartitionKey, TablePartitions};

use crate::confirmation::Confirmation;
use crate::database;
use crate::output::{members, number, size, text, time};
use crate::table::Table;

/// Options of the command.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Partition the interaction and event tables, also while the fleet runs; chain workers then create and drop
    /// partitions
    Enable {
        /// Days of interactions per partition; expired rows are dropped with their partition, up to this many days
        /// later
        #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=31))]
        days: u32,
        #[command(flatten)]
        confirmation: Confirmation,
    },
}

pub(crate) async fn run(options: &Options) -> Result<ExitCode> {
    let settings = Settings::read(&Environment::of_process())?;
    let pool = tarsy_boot::connect(&settings.database, "tarsy-partitions")?;
    database::check_reachable(&tarsy_boot::primary(&settings.database)?, &pool).await?;
    let mut connection = pool.acquire().await?;
    if let Some(Action::Enable { days, confirmation }) = &options.action {
        let what = format!(
            "partition interactions by {days} days and events by number, which can't be undone by a command"
        );
        if !confirmation.confirm(&what)? {
            bail!("aborted");
        }
        let width = Duration::from_secs(u64::from(*days) * 24 * 3_600);
        let mut print_progress = |done: String| eprintln!("{done}");
        tarsy_store::partitions::enable(&mut connection, width, &mut print_progress)
            .await
            .context("not all tables are partitioned; nothing is lost")?;
        return Ok(ExitCode::SUCCESS);
    }
    let tables = tarsy_store::partitions::partitions(&mut connection).await?;
    let state = Value::Array(tables.iter().map(as_json).collect());
    if options.json {
        println!("{state}");
    } else {
        show(&state);
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(table: &TablePartitions) -> Value {
    let partitions = table
        .partitions
        .iter()
        .map(|one| partition(table.table.key, one));
    json!({
        "table": table.table.name,
        "is_partitioned": table.is_partitioned(),
        "partitions": partitions.collect::<Vec<_>>(),
    })
}

/// Bounds in time are microseconds since 1970, as in all responses. Other bounds are numbers.
fn partition(key: PartitionKey, one: &Partition) -> Value {
    let (unit, scale) = match key {
        PartitionKey::Time => ("_us", 1_000),
        PartitionKey::Number => ("_id", 1),
    };
    json!({
        "name": one.name,
        (format!("from{unit}")): one.from.map(|from| from * scale),
        (format!("to{unit}")): one.to.map(|to| to * scale),
        "is_default": one.is_default,
        "bytes": one.bytes,
    })
}

fn show(state: &Value) {
    let mut table = Table::new(&["table", "partition", "from", "to", "size"]);
    for whole in state.as_array().into_iter().flatten() {
        let name = text(whole, "table");
        if whole["is_partitioned"] == false {
            table.row(
                [name, "none: a plain table", "-", "-", "-"]
                    .map(str::to_owned)
                    .into(),
            );
        }
        for one in members(whole, "partitions") {
            let bound = |end: &str| {
                let number = one.get(format!("{end}_id")).and_then(Value::as_i64);
                time(one, &format!("{end}_us"))
                    .or(number.map(|number| number.to_string()))
                    .unwrap_or_else(|| match one["is_default"] == true {
                        true => "all that no other takes".to_owned(),
                        false => "-".to_owned(),
                    })
            };
            table.row(vec![
                name.to_owned(),
                text(one, "name").to_owned(),
                bound("from"),
                bound("to"),
                size(number(one, "bytes")),
            ]);
        }
    }
    table.print("no tables");
}
