//! `tarsy queues`: queue depths; pausing and resuming.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use crate::client::Client;
use crate::output::{members, millis, number, text};
use crate::server::Server;
use crate::table::Table;

/// List queues; pause or resume one.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    change: Option<Change>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Change {
    /// Pause a queue; running jobs continue
    Pause(One),
    /// Resume a queue
    Resume(One),
}

#[derive(Debug, clap::Args)]
struct One {
    /// Queue name, e.g. `stage:default`
    queue: String,
    /// Reason, stored in the audit log
    #[arg(long)]
    reason: String,
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let client = Client::new(server)?;
    let (change, one) = match &options.change {
        None => {
            list(&client, options.json).await?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(Change::Pause(one)) => ("pause", one),
        Some(Change::Resume(one)) => ("resume", one),
    };
    let path = format!("queues/{}/{change}", one.queue);
    let queue = client.act(&path, &json!({ "reason": one.reason })).await?;
    if options.json {
        println!("{queue}");
    } else {
        println!("queue {} {}", one.queue, state(&queue));
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &Client, as_json: bool) -> Result<()> {
    let answer = client.get("/api/v1/admin/queues").await?;
    if as_json {
        println!("{answer}");
        return Ok(());
    }
    let mut table = Table::new(&[
        "queue",
        "ready",
        "scheduled",
        "running",
        "dead",
        "oldest",
        "workers",
        "slots",
        "wait p50",
        "p95",
        "done/min",
        "recovered",
        "state",
    ]);
    for queue in members(&answer, "queues") {
        let count = |key: &str| number(queue, key).to_string();
        let oldest = queue.get("oldest_ready_seconds").and_then(Value::as_f64);
        table.row(vec![
            text(queue, "queue").to_owned(),
            count("ready"),
            count("scheduled"),
            count("running"),
            count("dead"),
            oldest.map_or_else(dash, |seconds| millis((seconds * 1_000.0) as i64)),
            count("workers"),
            count("slots"),
            wait(queue, "wait_p50_ms"),
            wait(queue, "wait_p95_ms"),
            stages(queue, "ended_per_minute").map_or_else(dash, |rate| format!("{rate:.1}")),
            stages(queue, "recovered_last_day").map_or_else(dash, |times| times.to_string()),
            state(queue),
        ]);
    }
    table.print("no queues");
    Ok(())
}

/// Returns a metric of the pool's stages; `None` if the queue has no pool.
fn stages(queue: &Value, key: &str) -> Option<f64> {
    queue.get("stages")?.get(key)?.as_f64()
}

/// Returns the recent wait time of stages.
fn wait(queue: &Value, key: &str) -> String {
    stages(queue, key).map_or_else(dash, |ms| millis(ms as i64))
}

fn dash() -> String {
    "-".to_owned()
}

fn state(queue: &Value) -> String {
    if queue.get("paused") == Some(&Value::Bool(true)) {
        return format!(
            "is paused by {}: {}",
            text(queue, "paused_by"),
            text(queue, "reason")
        );
    }
    "is open".to_owned()
}
